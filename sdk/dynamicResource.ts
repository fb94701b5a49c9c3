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
    const restore = withoutTraces();
    try {
      const token = `${typePrefix}${type}`;
      const urn = free(pulumi.createUrn(name, token, options?.parent));
      const properties = {
        // A property that is named here without a value is an output to be filled in.
        ...Object.fromEntries(outputs.map((output) => [output, undefined])),
        ...args,
        // The host hands a create nothing but inputs; this one tells it whose they are.
        __origin: pulumi.interpolate`${pulumi.getOrganization()}/${urn}`,
        __provider: stub(type),
      };
      super(token, name, properties, options);
    } catch (error) {
      restore();
      // Where the program made the mistake; what was left out is the way through Pulumi.
      if (error instanceof Error && !/\n\s+at /.test(error.stack ?? "")) Error.captureStackTrace(error);
      throw error;
    }
    restore();
    warnOfPlainKey();
  }
}

/**
 * Pulumi keeps four stack traces for each property of a resource, in case the promise never settles: most of what
 * registering one takes, and shown only by those who look for such leaks. The trace that leads to the line in the program
 * is taken all the same, because Pulumi asks for that one in full.
 */
function withoutTraces(): () => void {
  const before = Error.stackTraceLimit;
  if (!process.env["PULUMI_DEBUG_PROMISE_LEAKS"]) Error.stackTraceLimit = 0;
  return () => {
    Error.stackTraceLimit = before;
  };
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
