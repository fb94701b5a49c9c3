/** The package that the engine runs dynamic resources with, and so the one of our explicit providers. */
export const providerPackage = "pulumi-nodejs";

/** The setting in which an explicit provider says who it is. The stack's configuration has none of this name. */
export const explicitProviderKey = "provider";

/** The hidden input in which a class names the inputs that are secret. The engine does not tell a dynamic provider. */
export const secretInputsKey = "__secrets";

/** What the stub loads. */
export const providerModule = "pulumi-gpufleet/provider";

/** The source text that the state stores as the provider of a resource, and that runs at refresh and destroy. */
export function stub(type: string): string {
  return `exports.handler=()=>require("${providerModule}").handler("${type}")`;
}
