import { OperationUnavailableError } from "../../../provider/client";
import {
  describe,
  holds,
  isLive,
  originKey,
  predecessorsKey,
  type ResourceDefinition,
  type Runtime,
  type Service,
  type Snapshot,
  type StackName,
  type StateEntry,
  unresolvedId,
  type View,
} from "../../../provider/lifecycle";
import { owned } from "../../../provider/resources";
import { showDuration } from "../../../provider/shared/duration";
import { marksOf, readLabel } from "../../../provider/shared/label";
import { messageOf } from "../../../provider/shared/messageOf";
import { inQuotes } from "../../../provider/shared/shell";
import { readUrn } from "../../../provider/shared/urn";
import { type Gap, gapsIn, twinIn } from "../../account";
import { gpufleetType, resourcesOf, rootOf, type State, stackType, typePrefixIn } from "../../stack";
import { statusLine } from "../../terminal";
import { runningIn } from "./ending";
import { operationFor } from "./managedResource";
import { currentOf } from "./newResource";
import { aboutTwins, endAlone, endWhatIsLost, twinOf } from "./twin";

export interface OrphanHints {
  hints: string[];
  /** Lists that could not be read: there may be more. */
  failed: Gap[];
  /** Single machines that could not be read. */
  unreadable: Gap[];
  /** Whether it is known what all other stacks have. */
  isWhole: boolean;
}

export interface HintOptions {
  namespaces?: readonly string[];
  /** What the commands that are written out need to work on the same stack. */
  place?: string | undefined;
  /** When a run failed. What it has made no record tells of, and lists may not show it yet. */
  failedAt?: number | undefined;
}

/** What one list shows. */
interface Look {
  views?: { definition: ResourceDefinition; snapshot: Snapshot<unknown>; view: View }[];
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
  identity: StackName,
  { namespaces = [runtime.settings.namespace], place = "", failedAt = 0 }: HintOptions = {},
): Promise<OrphanHints> {
  const { clock, settings } = runtime;
  const lag = () => failedAt + settings.listLagMs - clock.now();
  if (lag() > 0)
    await statusLine.during(
      () => describeLag(lag()),
      () => clock.sleep(lag()),
    );
  const { organization, project, stack } = identity;
  const root = `urn:pulumi:${stack}::${project}::${stackType}::${project}-${stack}`;
  const marks = namespaces.map((namespace) => marksOf({ organization, urn: root, namespace }).stack);
  const lookAt = async (definition: ResourceDefinition): Promise<Look> => {
    const { kind } = definition;
    try {
      const snapshot = await statusLine.during(`Listing ${kind.plural}…`, () => runtime.lists.of(kind).latest());
      const { type } = definition;
      const { held, kept } = idsIn(state, type);
      const isHeld = ({ id, label = "" }: View) => held.has(id) || held.has(unresolvedId(label, false));
      const isOurs = (view: View) => {
        // What was there when its twin was recorded is noted there, too, and was kept by nobody.
        if (twinIn(state, { ...view, type })) return true;
        return marks.includes(readLabel(view.label)?.stack ?? "") && !isHeld(view) && !kept.has(view.id);
      };
      const views = snapshot.views().filter((view) => isLive(view) && isOurs(view));
      return {
        views: views.map((view) => ({ definition, snapshot, view })),
        unreadable: gapsIn(snapshot, definition.noun),
      };
    } catch (error) {
      // What the service does not list is not there to be found. A list that fails hides only its own kind.
      if (error instanceof OperationUnavailableError) return {};
      return { failed: [{ what: kind.plural, reason: messageOf(error) }] };
    }
  };
  // Only an automatic label tells what this stack created: without labels there is nothing to find.
  const labelled = owned.filter(({ inputs }) => "label" in inputs.shape);
  const looks = await Promise.all(labelled.map(lookAt));
  const lost = looks.flatMap(({ views = [] }) => views);
  const gaps = {
    failed: looks.flatMap(({ failed = [] }) => failed),
    unreadable: looks.flatMap(({ unreadable = [] }) => unreadable),
  };
  if (lost.length === 0) return { hints: [], ...gaps, isWhole: true };
  const [elsewhere, isWhole] = await Promise.all([runtime.state.elsewhere(identity), runtime.state.isWhole(identity)]);
  const hints = lost
    .filter(({ definition, view }) => !elsewhere.some((entry) => isOf(entry, definition.type, view, runtime.service)))
    .map(({ definition, snapshot, view }) => {
      const { type } = definition;
      const urn = urnOf(state, identity, type, view);
      const operation = operationFor(runtime, definition, { [originKey]: `${organization}/${urn ?? root}` }, 0);
      const what = describe(operation, view);
      const twin = twinOf(type, { state, snapshot, view });
      if (twin) {
        return `${what} ${aboutTwins(snapshot, twin, view.id)} ${endAlone(type, view.id, place)}`;
      }
      const lost = `${what} was created by this stack but is missing from its state, and there is no record of its creation.`;
      if (!isWhole) return `${lost} ${mayBeElsewhere(place)}`;
      if (!rootOf(state)) return `${lost} ${endWhatIsLost(type, view.id, place)}`;
      const adopt = `gpufleet recover${place} --adopt ${view.id} --urn ${urn === undefined ? "URN" : inQuotes(urn)}`;
      const current = urn === undefined ? undefined : currentOf(state, urn);
      const running = current && runningIn(operation, snapshot, current);
      if (!running) return `${lost} To take it over: ${adopt}`;
      return `${lost} The state has ${running.description} for the same resource, and only one of the two can stay. \`${adopt}\` says which one the next \`pulumi up\` would terminate, and what is lost with it, and takes ${view.id} over with --force. \`gpufleet orphans${place}\` says how to terminate ${view.id}.`;
    });
  return { hints, ...gaps, isWhole };
}

export function describeLag(left: number): string {
  return `Waiting until the lists can no longer lag (${showDuration(left)} left)…`;
}

/** Why nothing is said to be nobody's. */
export function mayBeElsewhere(place: string): string {
  return `The states of other stacks could not all be read, and one of them may have it: \`gpufleet orphans${place}\` names them.`;
}

/** What was not found because it could not be looked for. */
export function gapNotes({ failed, unreadable }: Pick<OrphanHints, "failed" | "unreadable">): string[] {
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
function idsIn(state: State, type: string): { held: Set<string>; kept: Set<string> } {
  const ours = resourcesOf(state).filter((resource) => gpufleetType(resource) === type);
  const predecessors = ours.flatMap(({ outputs }) => {
    const ids: unknown = outputs?.[predecessorsKey];
    return Array.isArray(ids) ? ids.map(String) : [];
  });
  return { held: new Set(ours.map(({ id = "" }) => id)), kept: new Set(predecessors) };
}

/** The URN of the resource that created a machine, if its name and the parents in the state lead to it. */
function urnOf(state: State, { project, stack }: StackName, type: string, view: View): string | undefined {
  const marks = readLabel(view.label);
  if (!marks) return undefined;
  const parents = new Set(["", ...resourcesOf(state).map(({ urn }) => `${readUrn(urn).qualifiedType}$`)]);
  return [...parents]
    .map((parent) => `urn:pulumi:${stack}::${project}::${parent}${typePrefixIn(state)}${type}::${marks.name}`)
    .find((urn) => marksOf({ organization: "", urn, namespace: "" }).resource === marks.resource);
}
