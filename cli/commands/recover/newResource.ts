import { isDefaultProvider, RefusedError } from "../../../provider/lifecycle";
import { dynamicProviderType, providerTypeFor } from "../../../provider/shared/typeToken";
import { readUrn } from "../../../provider/shared/urn";
import { resourcesOf, rootOf, type State, type StateResource } from "../../stack";

/** The one that the state has under this URN and that is not to be deleted. */
export function currentOf(state: State, urn: string): StateResource | undefined {
  return resourcesOf(state).find((resource) => resource.urn === urn && !resource.delete);
}

/** A resource that the engine has no record of, as far as its URN and the rest of the state describe it. */
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
    provider: providerOf(state, providerTypeFor(type), provider),
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

/** A reference to the explicit provider with this URN, or to the default one. */
function providerOf(state: State, wantedType: string, wanted: string | undefined): string {
  const provider = resourcesOf(state).find(
    ({ type, urn }) => type === wantedType && (wanted === undefined ? isDefaultProvider(urn) : urn === wanted),
  );
  if (provider) return `${provider.urn}::${provider.id}`;
  const [which, what, instead] =
    wantedType === dynamicProviderType
      ? ["dynamic provider", "a dynamic resource", "Set adoptId in the program instead."]
      : ["provider of the plugin", "a resource of it", "Use `pulumi import` instead."];
  throw new RefusedError(
    `refused, and nothing was changed: the state has no ${which}, because this stack has never created ${what}. ${instead}`,
  );
}
