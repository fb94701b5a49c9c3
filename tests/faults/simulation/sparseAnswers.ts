import type { TransportAnswer, TransportRequest } from "../../../provider/client";
import { paths } from "../../lifecycle/rig";
import { bodyOf, parse, textOf, withItems } from "./answers";
import { purposeOf } from "./requests";

/** Fields that a record may lack, by the list or create that it stands in. */
const optional: Readonly<Record<string, readonly string[]>> = {
  [paths.bareMetal]: ["meta", "attachedStorage"],
  [paths.vm]: ["gpuType", "currentTerm", "costPerHourCents"],
  [paths.instances]: ["portMappings", "sshCommand", "start"],
};
/** What a list without items is answered with. */
const nothing: Readonly<Record<string, string>> = {
  [paths.bareMetal]: "No rentals found",
  [paths.vm]: "There are no active rentals",
  [paths.volumes]: "no storage volumes",
};
/** The same of what stands below `instance`. */
const optionalInInstance = ["gpu_count", "pricing", "hardware", "owner"];

/** What may stand where there is no time. */
const noTimes: Readonly<Record<string, string>> = { deletedAt: "0001-01-01T00:00:00Z", terminatedAt: "None" };

/** An answer that lacks whatever it may lack (of an attach, everything) or says in words that there is nothing; a list comes backwards. */
export async function sparse(request: TransportRequest, answer: TransportAnswer): Promise<TransportAnswer> {
  const { pathname } = new URL(request.url);
  if (answer.status < 300 && pathname === paths.attach) return { ...answer, status: 204, body: bodyOf("") };
  const isRead = ["list", "create"].includes(purposeOf(request)) && pathname !== paths.machines;
  if (answer.status >= 300 || !isRead) return answer;
  const text = await textOf(answer);
  const value = parse(text);
  if (value === undefined) return { ...answer, body: bodyOf(text) };
  const names = optional[pathname] ?? [];
  // Some services have nothing to show, and say so.
  const none = Array.isArray(value) && value.length === 0 ? nothing[pathname] : undefined;
  if (none !== undefined) return { ...answer, status: 404, body: bodyOf(JSON.stringify({ error: { message: none } })) };
  const list = withItems(value, (items) => items.map((item) => without(item, names)).reverse());
  return { ...answer, body: bodyOf(JSON.stringify(Array.isArray(value) ? list : without(list, names))) };
}

/** Some services leave out what is empty. */
function isLeftOut(name: string, value: unknown): boolean {
  return name === "attachedRentals" && Array.isArray(value) && value.length === 0;
}

function without(value: unknown, names: readonly string[]): unknown {
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([name, inner]) => !names.includes(name) && !isLeftOut(name, inner));
  return Object.fromEntries(
    kept.map(([name, inner]) => [
      name,
      name === "instance" ? without(inner, optionalInInstance) : (inner ?? noTimes[name] ?? inner),
    ]),
  );
}
