import * as pulumi from "@pulumi/pulumi";
import type { CallOptions } from "../connection";

/** Arguments of the `…Output` form of a function. */
export type InputsOf<Args> = { [Key in keyof Args]: pulumi.Input<Args[Key]> };

/** Options of the `…Output` form of a function. */
export interface OutputCallOptions extends CallOptions {
  /** Resources that must exist before the call. */
  dependsOn?: readonly pulumi.CustomResource[] | undefined;
}

/** The arguments, once they are known and the dependencies exist. In a preview that may be never. */
export function whenKnown<Args>(args: Args, { dependsOn = [] }: OutputCallOptions): pulumi.Output<pulumi.Unwrap<Args>> {
  return pulumi.all(dependsOn.map(({ id }) => id)).apply(() => pulumi.output(args));
}
