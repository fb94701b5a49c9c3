import * as pulumi from "@pulumi/pulumi";
import type { CallOptions } from "../connection";

/** The arguments of a function as its `…Output` form takes them. */
export type InputsOf<Args> = { [Key in keyof Args]: pulumi.Input<Args[Key]> };

/** How the `…Output` form of a function reaches the service. */
export interface OutputCallOptions extends CallOptions {
  /** Resources that must be there before the service is asked. */
  dependsOn?: readonly pulumi.CustomResource[] | undefined;
}

/** The arguments once they are known and what they wait for is there: in a preview, that may be never. */
export function whenKnown<Args>(args: Args, { dependsOn = [] }: OutputCallOptions): pulumi.Output<pulumi.Unwrap<Args>> {
  return pulumi.all(dependsOn.map(({ id }) => id)).apply(() => pulumi.output(args));
}
