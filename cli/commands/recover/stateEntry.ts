import { isDeepStrictEqual } from "node:util";
import { sendable } from "../../../provider/fronts";
import {
  lostAtKey,
  type Service,
  unresolvedId,
  type Values,
  whereaboutsOf,
  whereKey,
} from "../../../provider/lifecycle";
import { derivedOutputs } from "../../../provider/resources";
import { nativePrefix } from "../../../provider/shared/typeToken";
import { hasSecret, type StateResource } from "../../stack";
import { knownKeys } from "../../terminal";
import type { ManagedResource } from "./managedResource";
import type { Created, UnresolvedCreate } from "./outcome";

/** The resource as it would stand in the state if its create had come to its end. */
export function createdEntry(managed: ManagedResource, created: Created, now: Date): StateResource {
  const unfinished = "creation was interrupted before this was ready";
  return {
    ...entryFor(managed, created.id, { ...created.outputs, ...derivedFor(managed, created) }, now),
    // As the provider leaves a create that ran out of time: the next update goes on waiting.
    ...(created.isPending && { initErrors: [unfinished] }),
  };
}

/** What the plugin writes, and dynamic resources do not. */
function derivedFor({ handler, resource: { type, urn } }: ManagedResource, { id, outputs }: Created): Values {
  return type.startsWith(nativePrefix) ? derivedOutputs(handler.type, { id, urn, outputs }) : {};
}

/**
 * The resource as the provider leaves it where it cannot tell what a create has created. What was there before is not known: whatever
 * was created since it may have been sent may be it. It has been looked for with this key, which may be a new one.
 */
export function unresolvedEntry(
  managed: ManagedResource,
  { fingerprint, isChosenLabel, since }: Pick<UnresolvedCreate, "fingerprint" | "isChosenLabel" | "since">,
  { clock, service }: { clock: { now(): number }; service: Service },
): StateResource {
  const now = new Date(clock.now());
  const { owned } = managed.handler;
  const where = owned && { [whereKey]: whereaboutsOf(service, owned.kind.base, {}) };
  const outputs = { ...managed.inputs, ...where, status: "Unknown", [lostAtKey]: new Date(since).toISOString() };
  return entryFor(managed, unresolvedId(fingerprint, isChosenLabel), outputs, now);
}

/** What the service has answered goes into the state as the provider writes it: without the keys that it may have put into any field. */
function entryFor({ resource, inputs }: ManagedResource, id: string, outputs: Values, now: Date): StateResource {
  const { delete: _deleted, pendingReplacement: _pending, initErrors: _errors, taint: _taint, ...kept } = resource;
  const time = now.toISOString();
  const clean = sendable(outputs, inputs, knownKeys());
  return { ...kept, custom: true, id, outputs: closeSecrets(resource, inputs, clean), created: time, modified: time };
}

/**
 * What is a secret among the inputs stays one among the outputs, as the engine has it. What the service shows of it cannot be encrypted
 * here: there the input stands for it.
 */
function closeSecrets({ inputs: closed = {} }: StateResource, open: Values, outputs: Values): Values {
  const isAsAsked = (key: string, value: unknown) => hasSecret(closed[key]) && isDeepStrictEqual(open[key], value);
  const closeWithin = (value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? mapValues({ ...value }, (key, one) => (isAsAsked(key, one) ? closed[key] : one))
      : value;
  return mapValues(outputs, (key, value) => (hasSecret(closed[key]) ? closed[key] : closeWithin(value)));
}

function mapValues(values: Values, change: (key: string, value: unknown) => unknown): Values {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(key, value)]));
}
