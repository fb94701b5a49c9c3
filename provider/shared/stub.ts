/** Prefix of our resource types, as the engine knows them. */
export const typePrefix = "pulumi-nodejs:dynamic/gpufleet:";

/** The source text that the state stores as the provider of a resource, and that runs at refresh and destroy. */
export function stub(type: string): string {
  return `exports.handler=()=>require("pulumi-gpufleet/provider").handler("${type}")`;
}
