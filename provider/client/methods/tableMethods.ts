import {
  type Operation,
  type OperationName,
  operations,
  type RequestOf,
  type ResponseOf,
  requestCostBatch,
} from "../../service";
import type { CallOptions, Http } from "../http";
import { callTo } from "../http";

/** Operations whose method does more than send the request and read the answer. */
const special = [
  ...(["getRequestCost", "chat", "generateImage", "generateAudio", "terminateMarketplaceInstance"] as const),
  "attachStorageVolume",
  ...(["listBareMetalRentals", "listStorageVolumes"] as const),
  ...(["listMarketplaceMachines", "listMarketplaceInstances", "getMarketplaceHistory"] as const),
] as const;

type PlainName = Exclude<OperationName, (typeof special)[number]>;

type Method<Name extends OperationName> =
  RequestOf<Name> extends undefined
    ? (options?: CallOptions) => Promise<ResponseOf<Name>>
    : object extends RequestOf<Name>
      ? (request?: RequestOf<Name>, options?: CallOptions) => Promise<ResponseOf<Name>>
      : (request: RequestOf<Name>, options?: CallOptions) => Promise<ResponseOf<Name>>;

export type PlainMethods = { [Name in PlainName]: Method<Name> };

/** One method per operation of the table that needs nothing of its own. */
export function plainMethods(http: Http): PlainMethods;
export function plainMethods(http: Http): Record<string, (...given: never[]) => Promise<unknown>> {
  const names: readonly string[] = special;
  const table: Record<string, Operation> = operations;
  const plain = Object.entries(table).filter(([name]) => !names.includes(name));
  return Object.fromEntries(
    plain.map(([name, operation]) => [
      name,
      operation.request === undefined
        ? async (options?: CallOptions) => (await http.send(callTo(http, name, operation, undefined), options)).value
        : async (request: unknown = {}, options?: CallOptions) =>
            (await http.send(callTo(http, name, operation, request), options)).value,
    ]),
  );
}

export interface SpecialMethods {
  /** Any number of ids, each counted once: asked for in batches, answered in their order. */
  getRequestCost(request: RequestOf<"getRequestCost">, options?: CallOptions): Promise<ResponseOf<"getRequestCost">>;
}

export function specialMethods(http: Http): SpecialMethods {
  return { getRequestCost: (request, options) => getRequestCost(http, request, options) };
}

async function getRequestCost(
  http: Http,
  { requestIds, ...rest }: RequestOf<"getRequestCost">,
  options: CallOptions | undefined,
): Promise<ResponseOf<"getRequestCost">> {
  const operation = operations.getRequestCost;
  const isList = Array.isArray(requestIds);
  const asked = isList ? [...new Set(requestIds)] : [];
  const count = isList ? Math.ceil(asked.length / requestCostBatch) : 1;
  // All batches are checked before the first is sent.
  const calls = Array.from({ length: count }, (_, batch) => {
    const ids = isList ? asked.slice(batch * requestCostBatch, (batch + 1) * requestCostBatch) : requestIds;
    return callTo(http, "getRequestCost", operation, { ...rest, requestIds: ids });
  });
  const costs = new Map<string, ResponseOf<"getRequestCost">["requests"][number]>();
  for (const call of calls) {
    for (const cost of (await http.send(call, options)).value.requests) {
      if (!costs.has(cost.requestId)) costs.set(cost.requestId, cost);
    }
  }
  // What was not asked for is somebody else's cost, and what is answered twice was spent once.
  return { requests: asked.flatMap((id) => costs.get(id) ?? []) };
}
