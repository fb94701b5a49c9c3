import { isDeepStrictEqual } from "node:util";
import { isDefaultProvider, visible } from "../../../provider/lifecycle";
import { readTimestamp } from "../../../provider/shared/timestamp";
import { providerIn } from "../../../provider/shared/urn";
import { resourcesOf, rootOf, type State, type StateResource } from "../../stack";
import { referenceTo } from "./newResource";
import { isOutcome, isUnresolved } from "./unresolvedCreate";

/** What an entry is to the resource that the state already has under its URN. */
export type Placement =
  | { kind: "new" }
  /** The state has this very one. */
  | { kind: "known" }
  /** It takes the place of one that is deleted already, or of an unresolved create whose result it is. */
  | { kind: "successor"; current: StateResource }
  /** The one in the state is deleted by the next run, because this one replaces it. */
  | { kind: "replacement"; current: StateResource }
  /** The one in the state came later: this one is deleted by the next run. */
  | { kind: "leftover"; current: StateResource }
  /** It is unknown what was created, and so whether it replaces the one in the state: that one stays. The next run looks for this one. */
  | { kind: "beside"; current: StateResource };

/** Whether both stand for the same thing: ids are those of a service, and two providers may have two services. */
export function isSameEntry(one: StateResource, other: StateResource): boolean {
  return one.urn === other.urn && one.id === other.id && explicitProvider(one) === explicitProvider(other);
}

/** Two creates in doubt may have one id, which says what label they asked for, and nothing else: then both may have made something. */
function isSameCreate(one: StateResource, other: StateResource): boolean {
  return !isUnresolved(one) || isDeepStrictEqual(visible(one.inputs ?? {}), visible(other.inputs ?? {}));
}

function explicitProvider({ provider }: StateResource): string | undefined {
  const urn = provider && providerIn(provider);
  return urn === undefined || isDefaultProvider(urn) ? undefined : urn;
}

export function placementOf(resources: readonly StateResource[], entry: StateResource): Placement {
  const same = resources.filter(({ urn }) => urn === entry.urn);
  if (same.some((resource) => isSameEntry(resource, entry) && isSameCreate(resource, entry))) return { kind: "known" };
  const current = same.find((resource) => !resource.delete);
  if (!current || entry.delete) return { kind: "new" };
  if (current.pendingReplacement) return { kind: "successor", current };
  if (isUnresolved(entry)) return { kind: "beside", current };
  if (isOutcome(current, entry)) return { kind: "successor", current };
  return isLater(current, entry) ? { kind: "leftover", current } : { kind: "replacement", current };
}

/** The state's resources with the entry among them. Of two with one URN, all but one must be marked for deletion. */
export function insertEntry(resources: readonly StateResource[], entry: StateResource): StateResource[] {
  const placement = placementOf(resources, entry);
  switch (placement.kind) {
    case "known":
      return [...resources];
    case "new":
      return inOrder([...resources, entry]);
    case "leftover":
    case "beside":
      return inOrder([...resources, { ...entry, delete: true }]);
    case "successor":
      return inOrder(resources.map((resource) => (resource === placement.current ? entry : resource)));
    case "replacement": {
      const old = { ...placement.current, delete: true };
      return inOrder([...resources.map((resource) => (resource === placement.current ? old : resource)), entry]);
    }
  }
}

/** The resources without these. What depended on one of them depends on it no more, unless another has its URN. */
export function withoutEntries(
  resources: readonly StateResource[],
  removed: readonly StateResource[],
): StateResource[] {
  const left = resources.filter((resource) => !removed.includes(resource));
  const there = new Set(left.map(({ urn }) => urn));
  const gone = new Set(removed.map(({ urn }) => urn).filter((urn) => !there.has(urn)));
  return gone.size === 0 ? left : left.map((resource) => withoutDependencies(resource, gone));
}

/**
 * The entry as one of this state: what it was written down with may have left the state since, or come back with another id. It depends on
 * that no more, its provider is the present one, and what it was a part of is the stack.
 */
export function asEntryOf(state: State, entry: StateResource, besides: readonly StateResource[]): StateResource {
  const there = new Set([...resourcesOf(state), ...besides].map(({ urn }) => urn));
  const { parent, provider } = entry;
  const isParentGone = parent !== undefined && parent !== "" && !there.has(parent);
  const present = provider && referenceTo(state, entry.type, providerIn(provider));
  const moved = {
    ...entry,
    ...(isParentGone && { parent: rootOf(state)?.urn }),
    ...(present !== undefined && { provider: present }),
  };
  const { dependencies, propertyDependencies, deletedWith, replaceWith } = entry;
  const links = dependenciesOf({ ...noLinks(entry), dependencies, propertyDependencies, deletedWith, replaceWith });
  return withoutDependencies(moved, new Set(links.filter((urn) => !there.has(urn))));
}

function noLinks({ urn, type }: StateResource): StateResource {
  return { urn, type };
}

function withoutDependencies(resource: StateResource, gone: ReadonlySet<string>): StateResource {
  if (!dependenciesOf(resource).some((urn) => gone.has(urn))) return resource;
  const { dependencies, propertyDependencies, deletedWith, replaceWith } = resource;
  const stay = (urns: readonly string[] | null | undefined) => (urns ?? []).filter((urn) => !gone.has(urn));
  const ofProperties = Object.entries(propertyDependencies ?? {}).map(([key, urns]) => [key, stay(urns)]);
  return {
    ...resource,
    dependencies: stay(dependencies),
    propertyDependencies: Object.fromEntries(ofProperties),
    ...(deletedWith !== undefined && { deletedWith: gone.has(deletedWith) ? "" : deletedWith }),
    ...(replaceWith && { replaceWith: stay(replaceWith) }),
  };
}

/** The one that had the place of a create, which has condemned it: of several, the newest. */
export function replacedBy(resources: readonly StateResource[], create: StateResource): StateResource | undefined {
  if (create.delete) return undefined;
  const condemned = resources.filter((one) => one.urn === create.urn && one.delete && !isUnresolved(one));
  return condemned.reduce<StateResource | undefined>(
    (best, one) => (best && !isLater(one, best) ? best : one),
    undefined,
  );
}

/** The resources with these in their places again. */
export function withoutDelete(
  resources: readonly StateResource[],
  restored: readonly StateResource[],
): StateResource[] {
  if (restored.length === 0) return [...resources];
  return inOrder(
    resources.map((resource) => {
      const { delete: _, ...kept } = resource;
      return restored.includes(resource) ? kept : resource;
    }),
  );
}

function isLater(one: StateResource, other: StateResource): boolean {
  const [left, right] = [readTimestamp(one.outputs?.["createdAt"]), readTimestamp(other.outputs?.["createdAt"])];
  return left !== undefined && right !== undefined && left > right;
}

/** The engine wants everything after what it depends on. Otherwise the order stays. */
function inOrder(resources: readonly StateResource[]): StateResource[] {
  const byUrn = new Map<string, StateResource[]>();
  for (const resource of resources) byUrn.set(resource.urn, [...(byUrn.get(resource.urn) ?? []), resource]);
  const ordered = new Set<StateResource>();
  const seen = new Set<StateResource>();
  const visit = (resource: StateResource) => {
    if (seen.has(resource)) return;
    seen.add(resource);
    for (const urn of dependenciesOf(resource)) byUrn.get(urn)?.forEach(visit);
    ordered.add(resource);
  };
  resources.forEach(visit);
  return [...ordered];
}

/** The URNs that must come before it. */
export function dependenciesOf(resource: StateResource): string[] {
  const { parent, provider, dependencies, propertyDependencies, deletedWith, replaceWith } = resource;
  const ofProperties = Object.values(propertyDependencies ?? {}).flatMap((urns) => urns ?? []);
  const single = [parent, provider?.slice(0, provider.lastIndexOf("::")), deletedWith].filter(
    (urn) => urn !== undefined,
  );
  return [...single, ...(dependencies ?? []), ...ofProperties, ...(replaceWith ?? [])].filter((urn) => urn !== "");
}

/** What the engine would reject in such a state. */
export function integrityProblems(resources: readonly StateResource[]): string[] {
  const before = new Set<string>();
  const live = new Set<string>();
  const problems: string[] = [];
  for (const resource of resources) {
    const { provider } = resource;
    const needed = [...dependenciesOf(resource), ...(provider ? [provider] : [])];
    const missing = needed.filter((one) => !before.has(one));
    problems.push(...missing.map((one) => `${resource.urn} needs ${one}, which does not come before it`));
    if (!resource.delete && live.has(resource.urn)) problems.push(`${resource.urn} is in it twice`);
    if (!resource.delete) live.add(resource.urn);
    before.add(resource.urn);
    // A reference to a provider has its id, too.
    before.add(`${resource.urn}::${resource.id ?? ""}`);
  }
  return problems;
}
