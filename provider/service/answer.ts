import { z } from "zod";
import { cleanText } from "../shared/cleanText";
import { reasonIn } from "../shared/reason";

/**
 * Builders for what the service answers. An answer is read more generously than a request is written: keys nobody has
 * heard of pass, and so does a new member of an enumeration (a region opened last week must not make a whole list
 * unreadable). The description in `/v2/openapi.json` still names the documented values.
 */
export const answer = z.looseObject;

/** A documented enumeration in an answer: any string is read, the documented ones are described. */
export function documented<const Values extends readonly string[]>(values: Values) {
  return z.string().meta({ enum: [...values] });
}

/** A word of an enumeration as it is documented, where the service writes it in other letters. */
export function inDocumentedLetters<Text extends string | null | undefined>(values: readonly string[], text: Text) {
  return values.find((value) => value.toLowerCase() === text?.toLowerCase()) ?? text ?? undefined;
}

const numberInText = /^\s*[+-]?\d{1,15}(\.\d{1,15})?\s*$/;

function readNumber(value: unknown): unknown {
  return typeof value === "string" && numberInText.test(value) ? Number(value) : value;
}

/** A number, also where it comes as text. */
export const amount = z.preprocess(readNumber, z.number());

/** An id that is a whole number, also where it comes as text. */
export const numericId = z.preprocess(readNumber, z.int().positive());

/** An id or a name, also where it comes as a number: not as one so large that JavaScript has rounded it. */
export const name = z.union([z.string().min(1), z.int()]).transform(String);

const secondsOrMilliseconds = /^\s*\d{9,13}(\.\d{1,9})?\s*$/;

function readTime(value: unknown): unknown {
  const number = typeof value === "string" && secondsOrMilliseconds.test(value) ? Number(value) : value;
  if (typeof number !== "number") return value;
  // How some services write that there is none.
  if (number <= 0) return undefined;
  // Seconds reach this number in the year 5138, milliseconds did in 1973.
  const time = new Date(number < 1e11 ? number * 1000 : number);
  return time.getFullYear() < 10_000 ? time.toISOString() : undefined;
}

/** A time as text, also where it comes as seconds or milliseconds since 1970. */
export const time = z.preprocess(readTime, z.string());

/**
 * A field that nothing depends on: where it is missing or is not what it should be, it is left out, and the rest of the record is
 * still of use.
 */
export function ifReadable<Schema extends z.ZodType>(schema: Schema) {
  return schema.optional().catch(undefined);
}

/** The error bodies of the service are not shown; `describeErrorBody` in the client knows the shapes seen in the field. */
export const errorBody = answer({ error: answer({ code: z.string(), message: z.string() }) });

const acceptedStatus = /^(success|ok|accept|terminat|delet|end|stop)/i;
const refusedStatus =
  /^(error|fail|refus|den(y|ied)|reject|invalid|unauthori[sz]ed|forbidden|conflict|locked|cannot|can't|could not|unable)/i;
/** How a text begins that refuses, besides. */
const refusedText =
  /^(access denied|permission denied|bad request|not (found|allowed|permitted|possible|authori[sz]ed|supported|accepted))\b/i;
/** `FORBIDDEN`, `RENTAL_LOCKED`, `InvalidState`: the words of codes, apart. */
const refusedCode =
  /\b(error|fail(ed|ure)?|refused|denied|rejected|invalid|unauthori[sz]ed|forbidden|conflict|locked|cannot|unable|not|bad|unavailable|exceeded|timeout)\b/i;

/**
 * What an answer says against its own 2xx: some services put their errors into the body of a 200. Undefined where it says
 * nothing of the kind.
 */
export function refusalIn(body: unknown): string | undefined {
  if (typeof body === "string") return isRefusal(body) ? cleanText(body) : undefined;
  // One answer for each of several.
  if (Array.isArray(body)) return body.map(refusalInObject).find((refusal) => refusal !== undefined);
  return body === false ? withoutReason : refusalInObject(body);
}

function refusalInObject(body: unknown): string | undefined {
  const { data } = z.looseObject({}).safeParse(body);
  if (!data) return undefined;
  const status = typeof data["status"] === "string" ? data["status"] : "";
  const isRefused =
    ["success", "succeeded", "ok", "accepted"].some((name) => isDenied(data[name])) ||
    ["error", "errors"].some((name) => isError(data[name])) ||
    // A number there may be one of statistics.
    ["failed", "failures"].some(
      (name) => typeof data[name] !== "number" && isError(data[name]) && !isDenied(data[name]),
    ) ||
    ["message", "msg", "detail"].some((name) => isRefusal(data[name])) ||
    refusedStatus.test(status) ||
    isErrorStatus(data["status"]) ||
    data["object"] === "error" ||
    (!acceptedStatus.test(status) && (isError(data["error_code"]) || hasErrorCode(data)));
  return isRefused ? cleanText(reasonIn(data) ?? (status || withoutReason)) : undefined;
}

const withoutReason = "refused without a reason";

function isDenied(value: unknown): boolean {
  return value === false || value === 0 || (typeof value === "string" && /^\s*(false|no|0)\s*$/i.test(value));
}

function isRefusal(text: unknown): boolean {
  return typeof text === "string" && (refusedStatus.test(text.trim()) || refusedText.test(text.trim()));
}

function hasErrorCode(data: Record<string, unknown>): boolean {
  const said = data["message"] ?? data["msg"];
  const codes = [data["code"], data["statusCode"], data["status_code"]];
  return codes.some((code) => {
    if (isErrorStatus(code) || (typeof code === "string" && refusedCode.test(wordsOf(code)))) return true;
    // A code of the service's own, which some have for success, too.
    const number = readNumber(code);
    const isOwn = typeof number === "number" && number >= 600;
    return isOwn && typeof said === "string" && (isRefusal(said) || refusedCode.test(said));
  });
}

/** An HTTP status of 400 and above, also as text. */
function isErrorStatus(value: unknown): boolean {
  const status = readNumber(value);
  return typeof status === "number" && status >= 400 && status < 600;
}

function wordsOf(code: string): string {
  const words = code.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/[^A-Za-z]+/g, " ");
  return words.replace(/\bno error\b/i, "");
}

function isError(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return typeof value === "object" ? value !== null && Object.keys(value).length > 0 : Boolean(value);
}

/** An item of a list that could not be read, as far as it could. */
export interface Unreadable {
  /** Undefined where the field that holds it cannot be read, whatever else it calls itself. */
  id: string | undefined;
  /** What else it calls itself. */
  names?: readonly string[];
  label?: string;
  reason: string;
}

/** A list as the service gave it: what could be read, and what could not. */
export type Listing<Item> = Item[] & { unreadable?: readonly Unreadable[] };
