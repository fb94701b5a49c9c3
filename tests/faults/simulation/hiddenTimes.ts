import type { TransportAnswer, TransportRequest } from "../../../provider/client";
import { bodyOf, member, parse, textOf, withItems } from "./answers";
import { purposeOf } from "./requests";

/** What tells when something was made, in any record. */
const times = ["createdAt", "updatedAt", "start"];

/** An answer of a service that does not show when things were made. */
export async function hiddenTimes(request: TransportRequest, answer: TransportAnswer): Promise<TransportAnswer> {
  if (answer.status >= 300 || !["list", "create"].includes(purposeOf(request))) return answer;
  const text = await textOf(answer);
  const value = parse(text);
  if (value === undefined) return { ...answer, body: bodyOf(text) };
  const list = withItems(value, (items) => items.map(withoutTimes));
  return { ...answer, body: bodyOf(JSON.stringify(Array.isArray(value) ? list : withoutTimes(list))) };
}

function withoutTimes(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const shown = Object.entries(value).filter(([name]) => !times.includes(name));
  const instance = member(value, "instance");
  return { ...Object.fromEntries(shown), ...(instance !== undefined && { instance: withoutTimes(instance) }) };
}
