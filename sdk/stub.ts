/** The type of a resource of this provider, as the engine knows it. */
export const typePrefix = "pulumi-nodejs:dynamic/gpufleet:";

/** What the state stores as the provider of every resource of a type, and runs at refresh and destroy. */
export function stub(type: string): string {
  return `exports.handler=()=>require("pulumi-gpufleet/provider").handler("${type}")`;
}
