import * as pulumi from "@pulumi/pulumi";

/**
 * The names of the inputs that are secret, wherever in them; undefined where there are none. The engine does not tell a dynamic provider,
 * which must not show the value of one that is invalid.
 */
export function secretInputs(args: object): pulumi.Output<string[] | undefined> | undefined {
  // Only an output is secret, and only an object has one in it.
  const possible = Object.entries(args).filter(([, value]) => typeof value === "object" && value !== null);
  if (possible.length === 0) return undefined;
  const names = possible.map(async ([name, value]) => ((await isSecret(value)) ? [name] : []));
  return pulumi.output(Promise.all(names).then((all) => (all.flat().length > 0 ? all.flat() : undefined)));
}

/** One that fails is told by Pulumi itself. */
function isSecret(value: unknown): Promise<boolean> {
  return pulumi.isSecret(pulumi.output(value)).catch(() => false);
}
