import type { TransportAnswer, TransportRequest } from "../../../provider/client";
import { paths } from "../../lifecycle/rig";
import { bodyOf, member, parse, textOf, withItems } from "./answers";

const priced = ["currentTerm", "costPerHour", "costPerHourCents"];

/** A list of rentals in which only those that run have a price: of the others, every second has one of 0. */
export async function latePrices(request: TransportRequest, answer: TransportAnswer): Promise<TransportAnswer> {
  const { pathname } = new URL(request.url);
  const isList = request.method === "GET" && (pathname === paths.bareMetal || pathname === paths.vm);
  if (answer.status >= 300 || !isList) return answer;
  const text = await textOf(answer);
  const list = withItems(parse(text), (items) => items.map(withoutEarlyPrice));
  return { ...answer, body: bodyOf(list === undefined ? text : JSON.stringify(list)) };
}

function withoutEarlyPrice(item: unknown): unknown {
  if (typeof item !== "object" || item === null || member(item, "status") !== "Pending") return item;
  const others = Object.entries(item).filter(([name]) => !priced.includes(name));
  const isZero = Number(member(item, "id")) % 2 === 0;
  return { ...Object.fromEntries(others), ...(isZero && { costPerHour: 0 }) };
}
