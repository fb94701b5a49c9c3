import {
  isExpired,
  isSameAccount,
  RefusedError,
  type ResourceDefinition,
  type Runtime,
  readWhereabouts,
  type Service,
  type Snapshot,
  unresolvedFingerprint,
  whyElsewhere,
  whyForeign,
} from "../../provider/lifecycle";
import { gpufleetType, handlerOf, resourcesOf, type State, type StateResource, titleOf } from "../stack";

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
  return present(state).flatMap((resource) => {
    const definition = handlerOf(gpufleetType(resource))?.definition;
    const reason = definition && whyElsewhere(resource.outputs ?? {}, service, definition.kind.base);
    return reason === undefined ? [] : [{ resource, reason }];
  });
}

/** What of the state is in another account than that of the API key, as far as the lists tell. */
export function inOtherAccount(
  state: State,
  { service, settings }: Pick<Runtime, "service" | "settings">,
  lists: ReadonlyMap<string, Snapshot<unknown>>,
): Misplaced[] {
  return ownedIn(state).flatMap(({ resource, definition }) => {
    const list = lists.get(definition.type);
    const reason = list && whyOtherAccount(resource, definition, service, list, settings.confirmGone);
    return reason === undefined ? [] : [{ resource, reason }];
  });
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
  const keys = `last seen with the API key ${readWhereabouts(outputs)?.key ?? "of an older version"}, now used: ${service.key ?? "none"}`;
  const view = list.views().find((one) => one.id === id);
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
