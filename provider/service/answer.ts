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
  // Seconds reach this number in the year 5138, milliseconds did in 1973.
  const time = new Date(number < 1e11 ? number * 1000 : number);
  return Number.isNaN(time.getTime()) ? value : time.toISOString();
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

const refusedStatus = /^(error|fail|refus|den(y|ied)|reject|invalid|unauthori[sz]ed|forbidden)/i;
const refusalFields = z.looseObject({
  success: ifReadable(z.boolean()),
  ok: ifReadable(z.boolean()),
  status: ifReadable(z.string()),
  object: ifReadable(z.string()),
  error: z.unknown().optional(),
  errors: z.unknown().optional(),
  error_code: z.unknown().optional(),
});

const acceptedStatus = /^(success|ok|accept|terminat|delet|end|stop)/i;

/**
 * What an answer says against its own 2xx: some services put their errors into the body of a 200. Undefined where it says
 * nothing of the kind.
 */
export function refusalIn(body: unknown): string | undefined {
  const { data } = refusalFields.safeParse(body);
  if (!data) return undefined;
  const { success, ok, status = "", object, error, errors, error_code: code } = data;
  const isRefused =
    success === false ||
    ok === false ||
    refusedStatus.test(status) ||
    object === "error" ||
    isError(error) ||
    isError(errors) ||
    (isError(code) && !acceptedStatus.test(status));
  return isRefused ? cleanText(reasonIn(data) ?? (status || "refused without a reason")) : undefined;
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
