import { TransportError } from "../errors";

export interface FailureFacts {
  limits: { connect: number; bytes: number; timeout: number };
  /** Whether this error ended the attempt to connect. */
  failedToConnect: (error: unknown) => boolean;
}

/** What undici or Node threw, in plain words, and whether the request may have been sent. */
export function asTransportError(error: unknown, { limits, failedToConnect }: FailureFacts): TransportError {
  if (error instanceof TransportError) return error;
  switch (textIn(error, "code")) {
    case "UND_ERR_CONNECT_TIMEOUT":
      return new TransportError(`no connection within ${seconds(limits.connect)}`, { sent: "no" });
    case "UND_ERR_HEADERS_TIMEOUT":
      return new TransportError(`no answer within ${seconds(limits.timeout)}`, { sent: "maybe", kind: "timeout" });
    case "UND_ERR_BODY_TIMEOUT":
      return new TransportError(`the answer stopped for ${seconds(limits.timeout)}`, {
        sent: "maybe",
        kind: "timeout",
      });
    case "UND_ERR_RES_EXCEEDED_MAX_SIZE":
      return new TransportError(`the answer is longer than ${limits.bytes} bytes`, { sent: "maybe", kind: "size" });
    case "UND_ERR_CLOSED":
    case "UND_ERR_DESTROYED":
      return new TransportError("the client is closed", { sent: "no", permanent: true });
  }
  const permanent = isPermanent(error);
  const sent = permanent || failedToConnect(error) ? "no" : "maybe";
  return new TransportError(describeError(error), { sent, permanent });
}

/** A request that cannot be written down, and a certificate that is not to be trusted. */
const permanentCodes = /^(ERR_INVALID_|UND_ERR_INVALID_ARG$|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_)/;

/** Refused before a connection stands, and refused again next time. */
function isPermanent(error: unknown): boolean {
  return permanentCodes.test(textIn(error, "code") ?? "");
}

function describeError(error: unknown): string {
  const each = errorsIn(error);
  if (each.length > 0) return [...new Set(each.map(describeError))].join("; ");
  const code = textIn(error, "code");
  if (code === "UND_ERR_SOCKET") return "closed by the other side before the answer was complete";
  const message = textIn(error, "message") ?? "unknown error";
  return code === undefined || message.includes(code) ? message : `${message} (${code})`;
}

/** Where a name has several addresses, there is one error for each. */
function errorsIn(error: unknown): unknown[] {
  const list = field(error, "errors");
  return Array.isArray(list) ? list : [];
}

function textIn(error: unknown, name: string): string | undefined {
  const value = field(error, name);
  return typeof value === "string" ? value : undefined;
}

function field(error: unknown, name: string): unknown {
  return typeof error === "object" && error !== null ? Reflect.get(error, name) : undefined;
}

function seconds(ms: number): string {
  return `${Math.round(ms) / 1000} s`;
}
