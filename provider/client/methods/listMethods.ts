import {
  type ItemOf,
  type Listing,
  type ListName,
  lists,
  type Operation,
  operations,
  type RequestOf,
} from "../../service";
import { BadRequestError, NotFoundError } from "../errors";
import type { CallOptions, Http } from "../http";
import { callTo } from "../http";
import { saysThereAreNone, sendList } from "../lists";

type ListingOf<Name extends ListName> = Promise<Listing<ItemOf<Name>>>;

/** The documented operations that list something. Items that cannot be read are in `unreadable` of the list. */
export interface ListMethods {
  listBareMetalRentals(options?: CallOptions): ListingOf<"listBareMetalRentals">;
  listStorageVolumes(options?: CallOptions): ListingOf<"listStorageVolumes">;
  listMarketplaceMachines(
    request?: RequestOf<"listMarketplaceMachines">,
    options?: CallOptions,
  ): Promise<{ instances: Listing<ItemOf<"listMarketplaceMachines">> }>;
  listMarketplaceInstances(options?: CallOptions): Promise<{ instances: Listing<ItemOf<"listMarketplaceInstances">> }>;
  getMarketplaceHistory(options?: CallOptions): Promise<{ instance_history: Listing<ItemOf<"getMarketplaceHistory">> }>;
}

export function listMethods(http: Http): ListMethods {
  const listInstances = marketplaceInstanceLister(http);
  return {
    listBareMetalRentals: (options) => list(http, "listBareMetalRentals", options),
    listStorageVolumes: (options) => list(http, "listStorageVolumes", options),
    listMarketplaceMachines: async (request = {}, options) => {
      const call = callTo(http, "listMarketplaceMachines", operations.listMarketplaceMachines, request);
      return { instances: await sendList(http, call, lists.listMarketplaceMachines, options) };
    },
    listMarketplaceInstances: async (options) => ({ instances: await listInstances(options) }),
    getMarketplaceHistory: async (options) => ({
      instance_history: await list(http, "getMarketplaceHistory", options),
    }),
  };
}

type PlainListName = "listBareMetalRentals" | "listStorageVolumes" | "getMarketplaceHistory";

/** Lists something that is asked for without a body. */
export async function list<Name extends PlainListName>(
  http: Http,
  name: Name,
  options: CallOptions | undefined,
): ListingOf<Name>;
export async function list(
  http: Http,
  name: PlainListName,
  options: CallOptions | undefined,
): Promise<Listing<unknown>> {
  const operation: Operation = operations[name];
  return sendList<unknown>(http, callTo(http, name, operation, undefined), lists[name], options);
}

/**
 * The heading of the interface says POST and its sample GET, and services exist that know only one. Neither has a body, but
 * many servers refuse a JSON POST without one. The form that worked is tried first from then on.
 */
function marketplaceInstanceLister(http: Http) {
  const get = callTo(http, "listMarketplaceInstances", operations.listMarketplaceInstances, undefined);
  const post = { ...get, method: "POST" };
  const list = lists.listMarketplaceInstances;
  // A 404 that says that there are none may be that of another route, as long as this one has listed nothing.
  const untried = { ...list, nouns: undefined };
  let known: typeof get | undefined;
  return (options: CallOptions | undefined): ListingOf<"listMarketplaceInstances"> => {
    const send = async (form: typeof get) => {
      const listed = await sendList(http, form, form === known ? list : untried, options);
      known = form;
      return listed;
    };
    const sendPost = () => send(post).catch(ifOther(wantsBody, () => send({ ...post, body: {} })));
    const begin = () =>
      send(get).catch((refusal: unknown) =>
        ifOther(isUnknownMethod, () =>
          // With neither form there is a list: then the word of the first counts.
          sendPost().catch(
            ifOther(
              (error) => isUnknownMethod(error) && saysThereAreNone(list, refusal),
              async () => [],
            ),
          ),
        )(refusal),
      );
    return known ? send(known).catch(ifOther(isUnknownMethod, begin)) : begin();
  };
}

/** Goes on in another way where the error says that the first was the wrong one. */
function ifOther<Value>(isWrongForm: (error: unknown) => boolean, goOn: () => Promise<Value>) {
  return (error: unknown): Promise<Value> => {
    if (isWrongForm(error)) return goOn();
    throw error;
  };
}

function isUnknownMethod(error: unknown): boolean {
  return error instanceof NotFoundError || (error instanceof BadRequestError && error.status === 405);
}

function wantsBody(error: unknown): boolean {
  return error instanceof BadRequestError && error.status !== 405;
}
