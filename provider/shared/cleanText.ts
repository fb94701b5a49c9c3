import { stripVTControlCharacters } from "node:util";
import { withoutAddressCredentials } from "./addressCredentials";
import { redactRewritten } from "./rewrittenText";

export interface CleanTextOptions {
  /** Removed in every form in which they may come back. */
  secrets?: readonly string[];
  /** Whether the text is partly ours: then a secret that is an ordinary word goes only where it stands as a credential. */
  hasOwnWords?: boolean;
  /** Most characters kept. */
  max?: number;
}

/** Shorter ones are no secrets, and taking them out would leave no text. */
const shortestSecret = 4;

/**
 * Makes text from elsewhere fit to be shown: one line, without control, escape, direction and other invisible characters,
 * without secrets and the credentials of addresses, and not too long. Secrets go last but for the length: neither a control character put inside one nor a
 * cut through the middle may let it by.
 */
export function cleanText(text: string, options: CleanTextOptions = {}): string {
  const { secrets = [], max = 500, hasOwnWords = false } = options;
  const visible = stripVTControlCharacters(text)
    .replace(/\p{Cf}/gu, "")
    .replace(/\s+/gu, " ")
    .replace(/\p{Cc}/gu, "")
    .replace(/\p{Cs}/gu, "\u{FFFD}")
    .trim();
  const shown = withoutAddressCredentials(visible);
  const redacted = hasOwnWords ? redactCredentials(shown, secrets) : redact(shown, secrets);
  return redacted.length <= max ? redacted : `${redacted.slice(0, max - 1).replace(/\p{Cs}$/u, "")}…`;
}

/** Takes the secrets out, in every form in which they may come back. */
export function redact(text: string, secrets: readonly string[]): string {
  return secrets.reduce(redactOne, text);
}

/**
 * The same for text that is partly ours, and for values that mean something. No service issues a key that is one plain word: it
 * is the key of an emulator or a test, and "emulator" or "test" must not vanish from our sentences and from names. Such a word
 * goes where it stands as a credential does: behind `Bearer`, `key=` or the like.
 */
export function redactCredentials(text: string, secrets: readonly string[]): string {
  const [words, others] = [secrets.filter(isPlainWord), secrets.filter((secret) => !isPlainWord(secret))];
  return words.reduce(redactWord, redact(text, others));
}

/**
 * The same for values that a state keeps secret, in text that is ours: a plain word goes where it stands by itself in quotes. URNs stay
 * as they are: what is in one is in the state for all to read, and a command that is to be copied would not work without it. Services write labels in
 * their own way: what is much the same goes, too.
 */
export function redactValues(text: string, values: readonly string[]): string {
  const long = values.filter((value) => value.length >= shortestSecret);
  const others = long.filter((value) => !isPlainWord(value));
  const parts = text.split(/(urn:pulumi:[^\s"'`]*)/);
  // In every form first: what is left of one would be known no more.
  const clean = (part: string) => redactRewritten(redact(part, others), long, isPlainWord);
  return parts.map((part, index) => (index % 2 === 1 ? part : clean(part))).join("");
}

/** Longer ones may well be random letters. */
const longestWord = 15;

function isPlainWord(secret: string): boolean {
  return secret.length <= longestWord && /^([a-z]+|[A-Z][a-z]*|[A-Z]+)$/.test(secret);
}

const beforeCredential =
  /\b(?:(?:bearer|basic)\s+|(?:authorization|api[-_ ]?key|key|token|secret|password)["']?\s*[:=]\s*)["']?/;

function redactWord(text: string, word: string): string {
  if (word.length < shortestSecret) return text;
  const credential = new RegExp(`(${beforeCredential.source})(${word})(?![\\w-])`, "gi");
  return text.replace(credential, (whole, before: string, found: string) =>
    found === word ? `${before}[redacted]` : whole,
  );
}

function redactOne(text: string, secret: string): string {
  if (secret.length < shortestSecret) return text;
  return formsOf(secret).reduce((rest, form) => rest.replaceAll(form, "[redacted]"), text);
}

const knownForms = new Map<string, readonly string[]>();

function formsOf(secret: string): readonly string[] {
  const known = knownForms.get(secret);
  if (known) return known;
  const percent = encodeURIComponent(secret);
  const forms = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    percent,
    percent.replace(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase()),
    Buffer.from(secret).toString("hex"),
    Buffer.from(secret).toString("base64"),
    Buffer.from(secret).toString("base64url"),
    ...[0, 1, 2].flatMap((offset) => base64Inside(secret, offset)),
  ];
  const distinct = [...new Set(forms)].sort((one, other) => other.length - one.length);
  knownForms.set(secret, distinct);
  return distinct;
}

/** What stays the same of the secret's base64 whatever stands around it, when it begins at this offset of a group of three. */
function base64Inside(secret: string, offset: number): string[] {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
  const stable = (encoding: "base64" | "base64url") =>
    bytes
      .toString(encoding)
      .replace(/=+$/, "")
      .slice(offset === 0 ? 0 : offset + 1, Math.floor((bytes.length * 8) / 6));
  // Anything shorter also turns up in text that has nothing to do with the secret.
  return [stable("base64"), stable("base64url")].filter((form) => form.length >= shortestSecret + 1);
}
