/** An address in a text, up to what cannot stand in one. */
const address = /\b([a-z][a-z0-9+.-]{0,20}):\/\/([^\s"'`<>]*)/gi;

/** What stands between `//` and `@`. In the address of a web page an `@` may be part of the path; elsewhere it ends a password. */
function withoutUser(whole: string, scheme: string, rest: string): string {
  const end = rest.lastIndexOf("@");
  const host = /^[^/?#]*/.exec(rest)?.[0] ?? "";
  const isOfPath = /^https?$/i.test(scheme) && /^[^@:]*(:\d+)?$/.test(host);
  return end < 0 || isOfPath ? whole : `${scheme}://…${rest.slice(end)}`;
}

/** `password=…`, `X-Amz-Signature=…`, `sig=…`: in an address, or in a list of settings. */
const credential =
  /(?<![\w%.-])((?:[\w%.-]{0,40}(?:passw(?:or)?d|passphrase|pwd|secret|signature|credential|token|(?:access|account|api)[-_]?key)[\w%.-]{0,40}|sig)=)('[^']*'|\[redacted\]|[^\s&"'`<>]+)/gi;

/** Where an address is not understood, a part of its password is named by itself. */
const misread = /\binvalid (port|userinfo) "[^"]*"/g;

/**
 * Text without the credentials that stand in addresses: the states of a stack may be kept in a database or a store that is named
 * with them, and who cannot reach it names the whole address.
 */
export function withoutAddressCredentials(text: string): string {
  return text.replace(address, withoutUser).replace(credential, "$1[redacted]").replace(misread, 'invalid $1 "…"');
}
