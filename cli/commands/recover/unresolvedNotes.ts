import { OperationUnavailableError } from "../../../provider/client";
import {
  candidatesIn,
  describe,
  heldAnywhere,
  isProvenBy,
  likeliest,
  mayBeIt,
  originKey,
  type ResourceDefinition,
  type Runtime,
  readUnresolved,
  rewrittenIn,
  type Values,
} from "../../../provider/lifecycle";
import { messageOf } from "../../../provider/shared/messageOf";
import { readOrigin } from "../../../provider/shared/urn";
import { definitionOf, gpufleetType, type StateResource, titleOf } from "../../stack";
import { statusLine } from "../../terminal";
import type { ReadInputs } from "./decryptedInputs";
import { creationFor } from "./managedResource";
import { nothingMade, settledByHand } from "./outcome";
import { oneOfTwo } from "./plan";

/** For one look at a list. */
const lookTimeout = 60_000;

/**
 * What is known now of a create that an earlier run has left unresolved, and how a person settles it. It is one look: whether
 * nothing was created only the next `pulumi up` can tell, which looks for as long as lists may lag.
 */
export async function noteUnresolved(runtime: Runtime, entry: StateResource, readInputs: ReadInputs): Promise<string> {
  const title = `${titleOf(entry)}: it is unknown what its create has created (${entry.id}).`;
  const definition = definitionOf(gpufleetType(entry));
  return `${title} ${definition ? await look(runtime, definition, entry, readInputs(entry)) : left}`;
}

/** The same where the account cannot be asked. */
export function noteUnasked(entry: StateResource): string {
  return `${titleOf(entry)}: it is unknown what its create has created (${entry.id}). ${left}`;
}

const left = "`pulumi up` looks for it, and says how to settle it if that is not enough.";

async function look(
  runtime: Runtime,
  definition: ResourceDefinition,
  { id = "", urn, outputs, delete: isCondemned }: StateResource,
  inputs: Values,
): Promise<string> {
  const { kind } = definition;
  try {
    const create = readUnresolved(id, { ...outputs, ...inputs });
    if (!create) return left;
    // The stack or the resource may have another name by now.
    const origin = `${readOrigin(inputs[originKey]).organization}/${urn}`;
    const context = creationFor(runtime, definition, { ...inputs, [originKey]: origin }, lookTimeout);
    const snapshot = await statusLine.during(`Listing ${kind.plural}…`, () => runtime.lists.of(kind).fresh());
    const isHeld = await heldAnywhere(context);
    const found = candidatesIn(context, snapshot, create, isHeld);
    if (isProvenBy(create, found)) {
      const verb = isCondemned ? "ends" : "takes over";
      return `It has created ${found.map((view) => describe(context, view)).join(" and ")}, which the next \`pulumi up\` ${verb}.`;
    }
    const alike = likeliest(create, found, rewrittenIn(context, snapshot, create, isHeld));
    if (alike.length === 0) return nothingListed(urn);
    return `${begin(await mayBeIt(context, alike, create.asked))}${isCondemned ? ` ${oneOfTwo}` : ""}`;
  } catch (error) {
    if (error instanceof OperationUnavailableError) {
      return `The service does not list ${kind.plural}. ${settledByHand(urn)}`;
    }
    return `It could not be looked for: ${messageOf(error).replace(/\.$/, "")}. ${left}`;
  }
}

function nothingListed(urn: string): string {
  return `Nothing listed now may be it. \`pulumi up\` looks until the lists can no longer lag, and concludes that nothing was created if none appears. If you know that nothing was created: \`${nothingMade(urn)}\`.`;
}

function begin(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
