import * as pulumi from "@pulumi/pulumi";
import { type CallOptions, providerFor, settingsFor } from "../connection";

/** Arguments of the `…Output` form of a function. */
export type InputsOf<Args> = { [Key in keyof Args]: pulumi.Input<Args[Key]> };

/** Options of the `…Output` form of a function. */
export interface OutputCallOptions extends CallOptions {
  /** Resources that must exist before the call. */
  dependsOn?: readonly pulumi.CustomResource[] | undefined;
}

/**
 * The arguments, once they and the settings of the provider are known and the dependencies exist. In a preview that may be
 * never.
 */
export function whenKnown<Args>(args: Args, options: OutputCallOptions): pulumi.Output<pulumi.Unwrap<Args>> {
  const provider = providerFor(options);
  const awaited: pulumi.Input<unknown>[] = (options.dependsOn ?? []).map(({ id }) => id);
  if (provider) awaited.push(settingsFor(provider));
  return pulumi.all(awaited).apply(() => pulumi.output(args));
}
