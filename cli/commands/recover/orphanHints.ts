import { handlers } from "../../../provider";
import {
  describe,
  isLive,
  marksOf,
  originKey,
  type Runtime,
  readLabel,
  unresolvedId,
  type View,
} from "../../../provider/lifecycle";
import { typePrefix } from "../../../sdk/stub";
import { gpufleetType, readUrn, resourcesOf, rootOf, type State } from "../../stack";
import { workOn } from "./managedResource";

/**
 * Live machines with this stack's mark that its state does not have, and the engine kept no record of: its provider was
 * killed, or another stack of the same name has them. Only a person can tell; this tells how.
 */
export async function hintsAtLeftovers(runtime: Runtime, state: State, organization: string): Promise<string[]> {
  const root = rootOf(state);
  if (!root) return [];
  const { namespace } = runtime.settings;
  const { stack } = marksOf({ organization, urn: root.urn, namespace });
  const hints: string[] = [];
  for (const handler of handlers.values()) {
    if (!handler.rented) continue;
    // A list that cannot be had hides its own kind only.
    const snapshot = await runtime.lists
      .of(handler.rented.kind)
      .any()
      .catch(() => undefined);
    const ids = idsIn(state, handler.type);
    const isOurs = (view: View) => isLive(view) && readLabel(view.label)?.stack === stack;
    const isHeld = ({ id, label = "" }: View) => ids.has(id) || ids.has(unresolvedId(label));
    for (const view of snapshot?.views().filter((one) => isOurs(one) && !isHeld(one)) ?? []) {
      const urn = urnOf(state, handler.type, view);
      const subject = { handler, resource: root, inputs: { [originKey]: `${organization}/${urn ?? root.urn}` } };
      const adopt = `gpufleet recover --adopt ${view.id} --urn ${urn === undefined ? "URN" : `'${urn}'`}`;
      hints.push(
        `${describe(workOn(runtime, subject, 0), view)} bears this stack's mark, but is not in its state, and there is no record of its creation. To take it over: ${adopt}`,
      );
    }
  }
  return hints;
}

function idsIn(state: State, type: string): Set<string> {
  const ours = resourcesOf(state).filter((resource) => gpufleetType(resource) === type);
  return new Set(ours.map(({ id = "" }) => id));
}

/** The URN of the resource whose mark a machine bears, if its name and the parents in the state lead to it. */
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
