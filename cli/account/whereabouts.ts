import {
  isExpired,
  isLive,
  isOtherKey,
  isSameAccount,
  RefusedError,
  type ResourceDefinition,
  type Runtime,
  readWhereabouts,
  type Service,
  type Snapshot,
  unresolvedFingerprint,
  type Values,
  whyElsewhere,
  whyForeign,
} from "../../provider/lifecycle";
import { readLabel } from "../../provider/shared/label";
import { gpufleetType, handlerOf, resourcesOf, type State, type StateResource, titleOf } from "../stack";
import { interruptedCreatesIn, openCreatesIn } from "./openCreates";

/** A resource of the state that does not belong to the service or to the account that is configured. */
export interface Misplaced {
  resource: StateResource;
  reason: string;
}

/** Without what has expired and ended: that is nowhere. */
function present(state: State): StateResource[] {
  return resourcesOf(state).filter(({ outputs = {} }) => !isExpired(outputs));
}

/** What of the state is at another address than the configured one. */
export function atOtherAddress(state: State, service: Service): Misplaced[] {
  const held = present(state).map((resource) => ({ resource, values: resource.outputs ?? {} }));
  return [...held, ...interruptedCreatesIn(state)].flatMap(({ resource, values }) => {
    const definition = handlerOf(gpufleetType(resource))?.definition;
    const reason = definition && whyElsewhere(values, service, definition.kind.base);
    return reason === undefined ? [] : [{ resource, reason }];
  });
}

/** What of the state is in another account than that of the API key, as far as the lists tell. */
export function inOtherAccount(
  state: State,
  { service, settings }: Pick<Runtime, "service" | "settings">,
  lists: ReadonlyMap<string, Snapshot<unknown>>,
): Misplaced[] {
  const held = ownedIn(state).flatMap(({ resource, definition }) => {
    const list = lists.get(definition.type);
    const reason = list && whyOtherAccount(resource, definition, service, list, settings.confirmGone);
    return reason === undefined ? [] : [{ resource, reason }];
  });
  const keys = keysOfAccount(state, service, lists);
  const open = openCreatesIn(state).flatMap(({ resource, values }) => {
    const definition = handlerOf(gpufleetType(resource))?.owned;
    if (!definition || !isOtherKey(values, service) || keys.has(readWhereabouts(values)?.key)) return [];
    const label = String(unresolvedFingerprint(resource.id ?? "") ?? values["label"]);
    const isListed = readLabel(label) && lists.get(definition.type)?.withLabel(label).some(isLive);
    return isListed ? [] : [{ resource, reason: whyNotLookedFor(definition, values, service) }];
  });
  return [...held, ...open];
}

/** The keys with which something was last seen that the lists show to be of this very account. */
function keysOfAccount(
  state: State,
  service: Service,
  lists: ReadonlyMap<string, Snapshot<unknown>>,
): ReadonlySet<string | undefined> {
  const views = [...lists.values()].flatMap((list) => list.views());
  const ours = ownedIn(state).filter(({ resource }) => isSameAccount(resource.outputs ?? {}, service, views));
  return new Set(ours.map(({ resource }) => readWhereabouts(resource.outputs ?? {})?.key));
}

function whyNotLookedFor({ noun }: ResourceDefinition, values: Values, service: Service): string {
  return `it is not known whether it was created, and the API key may be that of another account, in which the ${noun} would not be listed (${keysOf("requested", values, service)}). Use the former key; or, if both are keys of one account, run this once with GPUFLEET_SAME_ACCOUNT=1`;
}

/** Both keys, by their one-way values. */
function keysOf(how: "last seen" | "requested", values: Values, service: Service): string {
  return `${how} with the API key ${readWhereabouts(values)?.key ?? "of an older version"}, now used: ${service.key ?? "none"}`;
}

/** Everything in the state that the service has under an id. */
export function ownedIn(state: State): { resource: StateResource; id: string; definition: ResourceDefinition }[] {
  return present(state).flatMap((resource) => {
    const { id } = resource;
    const definition = handlerOf(gpufleetType(resource))?.owned;
    return definition && id !== undefined && unresolvedFingerprint(id) === undefined
      ? [{ resource, id, definition }]
      : [];
  });
}

function whyOtherAccount(
  { id = "", outputs = {} }: StateResource,
  { kind, noun }: ResourceDefinition,
  service: Service,
  list: Snapshot<unknown>,
  confirmGone: boolean,
): string | undefined {
  const keys = keysOf("last seen", outputs, service);
  const view = list.isUnreadable(id) ? undefined : list.find(id, outputs["label"]);
  if (view) {
    const reason = view.phase === "ended" ? undefined : whyForeign(outputs, service, noun, view);
    return reason && `${reason} (${keys})`;
  }
  if (confirmGone || list.has(id) || isSameAccount(outputs, service, list.views())) return undefined;
  return `${noun} ${id} is not listed at ${service.addresses[kind.base]}, and the API key may be that of another account (${keys}). Use a key of the account that rented it; or, if it is gone, set GPUFLEET_CONFIRM_GONE=1`;
}

/** Refuses to work with another service or another account than those of the state. */
export function refuseMisplaced([first, ...others]: readonly Misplaced[]): void {
  if (!first) return;
  const more = others.length > 0 ? ` and ${others.length} more` : "";
  throw new RefusedError(`refused: ${titleOf(first.resource)}${more}: ${first.reason.replace(/\.$/, "")}.`);
}
