import { isDefaultProvider, RefusedError } from "../../../provider/lifecycle";
import { dynamicProviderType, providerTypeFor } from "../../../provider/shared/typeToken";
import { nameOf, readUrn } from "../../../provider/shared/urn";
import { resourcesOf, rootOf, type State, type StateResource } from "../../stack";

/** The one that the state has under this URN and that is not to be deleted. */
export function currentOf(state: State, urn: string): StateResource | undefined {
  return resourcesOf(state).find((resource) => resource.urn === urn && !resource.delete);
}

/**
 * A resource that the engine has no record of, as far as its URN and the rest of the state describe it. The provider is the one with
 * this URN, or the default one.
 */
export function newResource(state: State, urn: string, provider?: string): StateResource {
  const { stack, project, type } = readUrn(urn);
  const root = rootOf(state);
  if (!root) {
    throw new RefusedError(
      "refused, and nothing was changed: the state is empty, so a resource cannot be added to it. Set adoptId in the program instead.",
    );
  }
  const own = readUrn(root.urn);
  if (own.stack !== stack || own.project !== project) {
    throw new RefusedError(
      `refused, and nothing was changed: ${urn} does not belong to stack ${own.stack} of project ${own.project}. Its URNs begin with urn:pulumi:${own.stack}::${own.project}::`,
    );
  }
  return {
    urn,
    type,
    custom: true,
    inputs: {},
    parent: parentOf(state, urn) ?? root.urn,
    provider: referenceTo(state, type, provider) ?? refuseProvider(state, type, provider),
  };
}

/** A URN names the types of its parents, but not the parents: only where there is one of that type is it known. */
function parentOf(state: State, urn: string): string | undefined {
  const { qualifiedType } = readUrn(urn);
  const end = qualifiedType.lastIndexOf("$");
  if (end < 0) return undefined;
  const parents = resourcesOf(state).filter(
    (resource) => readUrn(resource.urn).qualifiedType === qualifiedType.slice(0, end),
  );
  return parents.length === 1 ? parents[0]?.urn : undefined;
}

/** A reference to the provider of such resources with this URN, or to the default one; undefined where the state does not have it. */
export function referenceTo(state: State, type: string, wanted?: string): string | undefined {
  const isWanted = (urn: string) => (isDefault(wanted) ? isDefaultProvider(urn) : urn === wanted);
  const provider = providersFor(state, type).find(({ urn }) => isWanted(urn));
  return provider && `${provider.urn}::${provider.id}`;
}

/** A newer version of the plugin or the package has a default provider of another name. */
function isDefault(urn: string | undefined): boolean {
  return urn === undefined || isDefaultProvider(urn);
}

function providersFor(state: State, type: string): StateResource[] {
  const wanted = providerTypeFor(type);
  return resourcesOf(state).filter((resource) => resource.type === wanted);
}

function refuseProvider(state: State, type: string, wanted: string | undefined): never {
  const [which, what, instead] =
    providerTypeFor(type) === dynamicProviderType
      ? ["dynamic provider", "a dynamic resource", "Set adoptId in the program instead."]
      : ["provider of the plugin", "a resource of it", "Use `pulumi import` instead."];
  if (providersFor(state, type).length === 0) {
    throw new RefusedError(
      `refused, and nothing was changed: the state has no ${which}, because this stack has never created ${what}. ${instead}`,
    );
  }
  const missing = wanted === undefined || isDefault(wanted) ? `default ${which}` : `provider "${nameOf(wanted)}"`;
  const why =
    wanted === undefined
      ? "and the preview of the program does not show another one for this resource. Run `pulumi preview`: it must succeed, and create the resource."
      : `which the program gives this resource. ${instead}`;
  throw new RefusedError(`refused, and nothing was changed: the state has no ${missing}, ${why}`);
}
