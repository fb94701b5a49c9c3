import { handlers } from "../../../provider";
import { describe, isLive, originKey, type Runtime, unresolvedId, type View } from "../../../provider/lifecycle";
import { marksOf, readLabel } from "../../../provider/shared/label";
import { typePrefix } from "../../../provider/shared/stub";
import { gpufleetType, readUrn, resourcesOf, rootOf, type State } from "../../stack";
import { statusLine } from "../../terminal";
import { contextFor } from "./managedResource";

/**
 * Points out live machines that this stack created, that are missing from its state, and that the engine has no record of:
 * its provider was killed, or another stack of the same name has them. Only a person can tell which.
 */
export async function hintsAboutOrphans(runtime: Runtime, state: State, organization: string): Promise<string[]> {
  const root = rootOf(state);
  if (!root) return [];
  const { namespace } = runtime.settings;
  const { stack } = marksOf({ organization, urn: root.urn, namespace });
  const hints: string[] = [];
  for (const handler of handlers.values()) {
    if (!handler.rented) continue;
    const { kind } = handler.rented;
    // A list that fails hides only its own kind.
    const snapshot = await statusLine
      .during(`Listing ${kind.plural}…`, () => runtime.lists.of(kind).any())
      .catch(() => undefined);
    const ids = idsIn(state, handler.type);
    const isOurs = (view: View) => isLive(view) && readLabel(view.label)?.stack === stack;
    const isHeld = ({ id, label = "" }: View) => ids.has(id) || ids.has(unresolvedId(label));
    for (const view of snapshot?.views().filter((one) => isOurs(one) && !isHeld(one)) ?? []) {
      const urn = urnOf(state, handler.type, view);
      const managed = { handler, resource: root, inputs: { [originKey]: `${organization}/${urn ?? root.urn}` } };
      const adopt = `gpufleet recover --adopt ${view.id} --urn ${urn === undefined ? "URN" : `'${urn}'`}`;
      hints.push(
        `${describe(contextFor(runtime, managed, 0), view)} was created by this stack but is missing from its state, and there is no record of its creation. To take it over: ${adopt}`,
      );
    }
  }
  return hints;
}

function idsIn(state: State, type: string): Set<string> {
  const ours = resourcesOf(state).filter((resource) => gpufleetType(resource) === type);
  return new Set(ours.map(({ id = "" }) => id));
}

/** The URN of the resource that created a machine, if its name and the parents in the state lead to it. */
function urnOf(state: State, type: string, view: View): string | undefined {
  const marks = readLabel(view.label);
  if (!marks) return undefined;
  const resources = resourcesOf(state);
  const parents = new Set(["", ...resources.map(({ urn }) => `${readUrn(urn).qualifiedType}$`)]);
  const { stack, project } = readUrn(resources[0]?.urn ?? "");
  return [...parents]
    .map((parent) => `urn:pulumi:${stack}::${project}::${parent}${typePrefix}${type}::${marks.name}`)
    .find((urn) => marksOf({ organization: "", urn, namespace: "" }).resource === marks.resource);
}
