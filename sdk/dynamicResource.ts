import * as pulumi from "@pulumi/pulumi";
import { warnOfPlainKey } from "./plainKeyWarning";
import { stub, typePrefix } from "./stub";

/**
 * A resource whose handler runs beside the engine. The state stores a dynamic provider as source text and runs that text at
 * refresh and destroy: it is the same short line for every resource of a type, so it holds no module, no path and no
 * secret, and a fix in this package reaches the stacks that exist.
 */
export abstract class DynamicResource extends pulumi.CustomResource {
  constructor(
    type: string,
    name: string,
    args: object,
    outputs: readonly string[],
    options: pulumi.CustomResourceOptions | undefined,
  ) {
    const token = `${typePrefix}${type}`;
    super(
      token,
      name,
      {
        // A property that is named here without a value is an output to be filled in.
        ...Object.fromEntries(outputs.map((output) => [output, undefined])),
        ...args,
        // The host hands a create nothing but inputs; this one tells it whose they are.
        __origin: pulumi.interpolate`${pulumi.getOrganization()}/${free(pulumi.createUrn(name, token, options?.parent))}`,
        __provider: stub(type),
      },
      options,
    );
    warnOfPlainKey();
  }
}

/**
 * The URN without what it depends on. It holds that of the parent, and whoever depends on a component waits for all its
 * children: a child would wait for itself.
 */
function free(urn: pulumi.Output<string>): Promise<string> {
  return new Promise((resolve) => {
    urn.apply(resolve);
  });
}

/** The number in a resource's id. Derived from the id, it stays known to others while a harmless update is previewed. */
export function numericId(id: pulumi.Output<pulumi.ID>): pulumi.Output<number> {
  return id.apply(Number);
}
