import { OperationUnavailableError } from "../../../provider/client";
import {
  describe,
  holds,
  isLive,
  messageOf,
  originKey,
  predecessorsKey,
  type ResourceDefinition,
  type Runtime,
  type Service,
  type StateEntry,
  unresolvedId,
  type View,
} from "../../../provider/lifecycle";
import { owned } from "../../../provider/resources";
import { marksOf, readLabel } from "../../../provider/shared/label";
import { readUrn } from "../../../provider/shared/urn";
import { type Gap, gapsIn } from "../../account";
import { gpufleetType, resourcesOf, rootOf, type State, typePrefixIn } from "../../stack";
import { statusLine } from "../../terminal";
import { operationFor } from "./managedResource";

export interface OrphanHints {
  hints: string[];
  /** Lists that could not be read: there may be more. */
  failed: Gap[];
  /** Single machines that could not be read. */
  unreadable: Gap[];
}

/** What one list shows. */
interface Look {
  views?: { definition: ResourceDefinition; view: View }[];
  failed?: Gap[];
  unreadable?: Gap[];
}

/**
 * Points out live machines that this stack created, that are in no state of the backend, and that the engine has no record of:
 * its provider was killed, or a stack of the same name, kept elsewhere, has them. Only a person can tell which.
 */
export async function hintsAboutOrphans(
  runtime: Runtime,
  state: State,
  organization: string,
  namespaces: readonly string[] = [runtime.settings.namespace],
): Promise<OrphanHints> {
  const root = rootOf(state);
  if (!root) return { hints: [], failed: [], unreadable: [] };
  const marks = namespaces.map((namespace) => marksOf({ organization, urn: root.urn, namespace }).stack);
  const lookAt = async (definition: ResourceDefinition): Promise<Look> => {
    const { kind } = definition;
    try {
      const snapshot = await statusLine.during(`Listing ${kind.plural}…`, () => runtime.lists.of(kind).latest());
      const held = idsIn(state, definition.type);
      const isOurs = (view: View) => isLive(view) && marks.includes(readLabel(view.label)?.stack ?? "");
      const isHeld = ({ id, label = "" }: View) => held.has(id) || held.has(unresolvedId(label, false));
      const views = snapshot.views().filter((view) => isOurs(view) && !isHeld(view));
      return { views: views.map((view) => ({ definition, view })), unreadable: gapsIn(snapshot, definition.noun) };
    } catch (error) {
      // What the service does not list is not there to be found. A list that fails hides only its own kind.
      if (error instanceof OperationUnavailableError) return {};
      return { failed: [{ what: kind.plural, reason: messageOf(error) }] };
    }
  };
  const looks = await Promise.all(owned.map(lookAt));
  const lost = looks.flatMap(({ views = [] }) => views);
  const gaps = {
    failed: looks.flatMap(({ failed = [] }) => failed),
    unreadable: looks.flatMap(({ unreadable = [] }) => unreadable),
  };
  if (lost.length === 0) return { hints: [], ...gaps };
  const { stack, project } = readUrn(root.urn);
  const elsewhere = await runtime.state.elsewhere({ organization, project, stack });
  const hints = lost
    .filter(({ definition, view }) => !elsewhere.some((entry) => isOf(entry, definition.type, view, runtime.service)))
    .map(({ definition, view }) => {
      const urn = urnOf(state, definition.type, view);
      const operation = operationFor(runtime, definition, { [originKey]: `${organization}/${urn ?? root.urn}` }, 0);
      const adopt = `gpufleet recover --adopt ${view.id} --urn ${urn === undefined ? "URN" : `'${urn}'`}`;
      return `${describe(operation, view)} was created by this stack but is missing from its state, and there is no record of its creation. To take it over: ${adopt}`;
    });
  return { hints, ...gaps };
}

/** What was not found because it could not be looked for. */
export function gapNotes({ failed, unreadable }: OrphanHints): string[] {
  const missing = "may have been created by this stack and be missing from its state";
  return [
    ...failed.map(({ what, reason }) => `The list of ${what} could not be read: some ${missing}. ${sentence(reason)}`),
    ...unreadable.map(
      ({ what, reason }) => `The record of ${what} could not be read: it ${missing}. ${sentence(reason)}`,
    ),
  ];
}

function sentence(reason: string): string {
  return `${reason.replace(/\.$/, "")}.`;
}

function isOf(entry: StateEntry, type: string, view: View, service: Service): boolean {
  const id = entry.id === unresolvedId(view.label ?? "", false) ? view.id : entry.id;
  return holds({ ...entry, id }, type, view, service);
}

/** What the state holds, and what it once replaced and was told to keep (`retainOnDelete`). */
function idsIn(state: State, type: string): Set<string> {
  const ours = resourcesOf(state).filter((resource) => gpufleetType(resource) === type);
  const predecessors = ours.flatMap(({ outputs }) => {
    const ids: unknown = outputs?.[predecessorsKey];
    return Array.isArray(ids) ? ids.map(String) : [];
  });
  return new Set([...ours.map(({ id = "" }) => id), ...predecessors]);
}

/** The URN of the resource that created a machine, if its name and the parents in the state lead to it. */
function urnOf(state: State, type: string, view: View): string | undefined {
  const marks = readLabel(view.label);
  if (!marks) return undefined;
  const resources = resourcesOf(state);
  const parents = new Set(["", ...resources.map(({ urn }) => `${readUrn(urn).qualifiedType}$`)]);
  const { stack, project } = readUrn(resources[0]?.urn ?? "");
  return [...parents]
    .map((parent) => `urn:pulumi:${stack}::${project}::${parent}${typePrefixIn(state)}${type}::${marks.name}`)
    .find((urn) => marksOf({ organization: "", urn, namespace: "" }).resource === marks.resource);
}
