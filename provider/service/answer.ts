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
