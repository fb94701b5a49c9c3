import { z } from "zod";
import { readTimestamp } from "../../provider/shared/timestamp";
import {
  dynamicPrefix,
  dynamicProviderType,
  nativePrefix,
  nativeProviderType,
  resourceTypeOf,
} from "../../provider/shared/typeToken";
import { nameOf } from "../../provider/shared/urn";

/** A stack's state as `pulumi stack export` writes it. What is not named here is carried along as it is. */

export type Properties = Record<string, unknown>;

/** The properties of a value; none of what is not an object. */
export function asProperties(value: unknown): Properties {
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

const properties = z.record(z.string(), z.unknown());
const urns = z.array(z.string());

const stateResource = z.looseObject({
  urn: z.string(),
  type: z.string(),
  custom: z.boolean().optional(),
  id: z.string().optional(),
  /** Read by the program, and not managed by the stack. */
  external: z.boolean().optional(),
  /** Replaced, and to be deleted by the next run. */
  delete: z.boolean().optional(),
  /** Resource options of the program. */
  protect: z.boolean().optional(),
  retainOnDelete: z.boolean().optional(),
  /** Deleted already, and to be made anew by the next run. */
  pendingReplacement: z.boolean().optional(),
  inputs: properties.optional(),
  outputs: properties.optional(),
  parent: z.string().optional(),
  /** `<urn of the provider>::<id of the provider>` */
  provider: z.string().optional(),
  dependencies: urns.nullish(),
  propertyDependencies: z.record(z.string(), urns.nullable()).nullish(),
  deletedWith: z.string().optional(),
  replaceWith: urns.nullish(),
  /** In seconds. */
  customTimeouts: z.looseObject({ create: z.number().optional() }).nullish(),
});
export type StateResource = z.infer<typeof stateResource>;

const pendingOperation = z.looseObject({
  /** `creating`, `updating`, `deleting`, `reading` or `importing`. */
  type: z.string(),
  resource: stateResource,
});
export type PendingOperation = z.infer<typeof pendingOperation>;

const state = z.looseObject({
  version: z.number(),
  // A stack that has never been updated may have none.
  deployment: z.preprocess(
    (value) => value ?? {},
    z.looseObject({
      manifest: z.looseObject({ time: z.string().optional() }).nullish(),
      resources: z.array(stateResource).nullish(),
      pending_operations: z.array(pendingOperation).nullish(),
    }),
  ),
});
export type State = z.infer<typeof state>;

export function parseState(text: string): State {
  return state.parse(JSON.parse(text));
}

export function resourcesOf(state: State): readonly StateResource[] {
  return state.deployment.resources ?? [];
}

export function pendingOf(state: State): readonly PendingOperation[] {
  return state.deployment.pending_operations ?? [];
}

/** When the engine last wrote it. */
export function writtenAt(state: State): number | undefined {
  return readTimestamp(state.deployment.manifest?.time);
}

export const stackType = "pulumi:pulumi:Stack";

/** The resource of the stack itself; an empty state has none. */
export function rootOf(state: State): StateResource | undefined {
  return resourcesOf(state).find(({ type }) => type === stackType);
}

/** Whether a provider of this type may have resources of ours. */
export function isProviderType(type: string): boolean {
  return type === dynamicProviderType || type === nativeProviderType;
}

/** How the types of this stack's resources begin: what it has decides, and dynamic resources are the default. */
export function typePrefixIn(state: State): string {
  const has = (wanted: string) => resourcesOf(state).some(({ type }) => type === wanted);
  return has(nativeProviderType) && !has(dynamicProviderType) ? nativePrefix : dynamicPrefix;
}

/** `BareMetalRental "train"` */
export function titleOf(resource: { type: string; urn: string }): string {
  return `${gpufleetType(resource) ?? resource.type} "${nameOf(resource.urn)}"`;
}

/** `BareMetalRental` of a resource of this provider; undefined for any other, and for one that the stack only reads. */
export function gpufleetType({ type, external }: { type: string; external?: boolean | undefined }): string | undefined {
  return external ? undefined : resourceTypeOf(type);
}
