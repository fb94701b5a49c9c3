import {
  type CallOptions,
  type Client,
  ForbiddenError,
  OperationUnavailableError,
  UnauthorizedError,
} from "../../../provider/client";
import { type ResourceDefinition, Snapshot } from "../../../provider/lifecycle";
import { owned } from "../../../provider/resources";
import { namesOfUnreadable } from "../../../provider/shared/namesOfUnreadable";
import { type Finding, fail, unknown } from "./finding";
import { orError } from "./orError";

/** A list of the account, or why there is none. */
export interface ListAnswer {
  definition: ResourceDefinition;
  answer: Snapshot<unknown> | Error;
}

/** Every list of what bills, bare-metal rentals first. */
export function askLists(client: Client, call: CallOptions): Promise<ListAnswer[]> {
  return Promise.all(
    owned.map(async (definition) => {
      const { kind } = definition;
      const answer = await orError(
        kind.fetch(client, call).then((listing) => new Snapshot(kind, listing, 1, { now: client.serviceNow() })),
      );
      return { definition, answer };
    }),
  );
}

/** Lists that cannot be read, or not in full, on an interface that replies. */
export function listFindings(lists: readonly ListAnswer[], [v2, v1]: readonly unknown[]): Finding[] {
  return lists.flatMap(({ definition: { kind }, answer }) => {
    const reached = kind.base === "v2" ? v2 : v1;
    if (answer instanceof OperationUnavailableError) {
      return [unknown(kind.plural, "not listed by this service, so those in the state cannot be verified")];
    }
    // What an interface as a whole lacks is told once.
    if (answer instanceof Error)
      return reached instanceof Error ? [] : [fail(kind.plural, answer.message, adviceFor(answer))];
    const [first] = answer.unreadable;
    if (!first) return [];
    const total = answer.items.length + answer.unreadable.length;
    const [name] = namesOfUnreadable(first);
    const which = name === undefined ? "" : ` (${name})`;
    return [
      fail(kind.plural, `${answer.unreadable.length} of ${total} cannot be read${which}: ${first.reason}`, advice),
    ];
  });
}

/** Where the key is at fault, nothing is wrong with how the list is read. */
function adviceFor(error: Error): string {
  const isKey = error instanceof UnauthorizedError || error instanceof ForbiddenError;
  return isKey
    ? "Nothing of this kind counts as gone until the list can be read. Use an API key that may read it."
    : advice;
}

const advice =
  "Nothing of this kind counts as gone until the list can be read. Update pulumi-gpufleet; if that does not help, report the message above.";
