import * as pulumi from "@pulumi/pulumi";
import { stub, typePrefix } from "../provider/shared/stub";
import { checkInstallation } from "./installation";
import { isPreview, numberOf, organization } from "./mocks";
import { warnAboutPlainKey } from "./plainKeyWarning";
import { plainUrn } from "./plainUrn";
import { optionsAsInputs, withoutImport } from "./resourceOptions";
import { refuseUnknownSettings } from "./unknownSettings";

/**
 * A resource whose handler runs in the provider process. The state stores a dynamic provider as source text and runs that text
 * at refresh and destroy. Ours is one constant line per type: it contains no module, path or secret, and a fix in this
 * package reaches existing stacks.
 */
export abstract class DynamicResource extends pulumi.CustomResource {
  constructor(
    type: string,
    name: string,
    args: object,
    outputs: readonly string[],
    options: pulumi.CustomResourceOptions | undefined,
  ) {
    const restore = withoutStackTraces();
    try {
      checkInstallation();
      refuseUnknownSettings();
      const token = `${typePrefix}${type}`;
      const urn = plainUrn(name, token, options?.parent);
      const properties = {
        // A property without a value is an output.
        ...Object.fromEntries(outputs.map((output) => [output, undefined])),
        ...optionsAsInputs(`${type} "${name}"`, { ...args }, options),
        // The host passes a create nothing but inputs; this one identifies the resource.
        __origin: pulumi.interpolate`${organization()}/${urn}`,
        // What is only read must exist, and is no machine of this stack.
        ...(options?.id !== undefined && { __read: true }),
        // A provider is not told otherwise that this is a preview; its check takes this out again.
        ...(options?.id === undefined && isPreview() && { __preview: true }),
        __provider: stub(type),
      };
      super(token, name, properties, withoutImport(options));
    } catch (error) {
      restore();
      // Points to the line in the program.
      if (error instanceof Error && !/\n\s+at /.test(error.stack ?? "")) Error.captureStackTrace(error);
      throw error;
    }
    restore();
    warnAboutPlainKey();
  }
}

/** An existing resource of this class: it is read, and not managed by the stack. */
export function getExisting<Resource>(
  resource: new (name: string, args: never, options?: pulumi.CustomResourceOptions) => Resource,
  name: string,
  id: pulumi.Input<pulumi.ID>,
  options: pulumi.CustomResourceOptions | undefined,
): Resource {
  return Reflect.construct(resource, [name, {}, { ...options, id }]);
}

/**
 * Pulumi keeps four stack traces for each property of a resource, to report promises that never settle. They take most of the
 * time of a registration, so they are off unless PULUMI_DEBUG_PROMISE_LEAKS is set. The trace that leads to the line in the
 * program is taken all the same, because Pulumi sets the limit itself for that one.
 */
function withoutStackTraces(): () => void {
  const before = Error.stackTraceLimit;
  if (!process.env["PULUMI_DEBUG_PROMISE_LEAKS"]) Error.stackTraceLimit = 0;
  return () => {
    Error.stackTraceLimit = before;
  };
}

/** The id as a number. Derived from the id, it stays known to dependents while an in-place update is previewed. */
export function numericId(id: pulumi.Output<pulumi.ID>): pulumi.Output<number> {
  return id.apply(numberOf);
}
