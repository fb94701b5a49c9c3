import { z } from "zod";

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

/** The error bodies of the service are not shown; `describeErrorBody` in the client knows the shapes seen in the field. */
export const errorBody = answer({ error: answer({ code: z.string(), message: z.string() }) });

/** An item of a list that could not be read, as far as it could. */
export interface Unreadable {
  id: string | undefined;
  reason: string;
}

/** A list as the service gave it: what could be read, and what could not. */
export type Listing<Item> = Item[] & { unreadable?: readonly Unreadable[] };

/** What a body says of a request that was answered with 2xx, where it says anything. */
const verdict = z.looseObject({
  success: z.unknown(),
  ok: z.unknown(),
  status: z.unknown(),
  error: z.unknown(),
  error_code: z.unknown(),
  message: z.unknown(),
});

/** Why the body of a 2xx says that the request was refused, in its own words; undefined where it does not say so. */
export function refusalIn(body: unknown): string | undefined {
  const said = verdict.partial().safeParse(body).data;
  if (!said) return undefined;
  const { success, ok, status, error, error_code: code, message } = said;
  const isFailure = typeof status === "string" && /^(error|fail|refused|denied|rejected)/i.test(status);
  const isSuccess = typeof status === "string" && /^(success|ok|accepted|terminat|delet|end|stop)/i.test(status);
  const hasError = error !== undefined && error !== null && error !== false && error !== "";
  const hasCode = code !== undefined && code !== null && code !== "" && code !== 0;
  const isRefused = success === false || ok === false || isFailure || hasError || (hasCode && !isSuccess);
  if (!isRefused) return undefined;
  const words = [messageIn(error), messageIn(message), messageIn(code), messageIn(status)];
  return words.find((text) => text !== undefined) ?? "the service refused";
}

function messageIn(value: unknown): string | undefined {
  if (typeof value === "string") return value.trim() || undefined;
  if (typeof value === "number") return String(value);
  const inner = z.looseObject({ message: z.string() }).safeParse(value).data;
  return inner?.message;
}
