import * as pulumi from "@pulumi/pulumi";
import { dynamicFront, type Front } from "./front";
import { numberOf } from "./mocks";
import { warnAboutPlainKey } from "./plainKeyWarning";
import { refuseUnknownSettings } from "./unknownSettings";

/** A resource of the service. It is registered in the way of its class's front: dynamic, unless a subclass has another. */
export abstract class ServiceResource extends pulumi.CustomResource {
  protected static readonly front: Front = dynamicFront;

  constructor(
    type: string,
    name: string,
    args: object,
    outputs: readonly string[],
    options: pulumi.CustomResourceOptions | undefined,
  ) {
    const { front } = new.target;
    const restore = withShortStackTraces();
    try {
      front.checkInstallation();
      refuseUnknownSettings();
      const declared = { type, name, args, options };
      // A property without a value is an output.
      const unset = Object.fromEntries(outputs.map((output) => [output, undefined]));
      super(front.typeOf(type), name, { ...unset, ...front.inputsOf(declared) }, front.optionsOf(declared));
    } catch (error) {
      restore();
      // Points to the line in the program.
      if (error instanceof Error && !/\n\s+at /.test(error.stack ?? "")) Error.captureStackTrace(error);
      throw error;
    }
    restore();
    warnAboutPlainKey();
  }

  /** Reads an existing one without managing it. There must be one with this id. */
  static get<Resource>(
    this: new (
      name: string,
      args: never,
      options?: pulumi.CustomResourceOptions,
    ) => Resource,
    name: string,
    id: pulumi.Input<pulumi.ID>,
    options?: pulumi.CustomResourceOptions,
  ): Resource {
    // biome-ignore lint/complexity/noThisInStatic: each class reads its own type, in its own front.
    return Reflect.construct(this, [name, {}, { ...options, id }]);
  }
}

/**
 * Pulumi keeps four stack traces for each property of a resource, to report promises that never settle. They take most of the
 * time of a registration, so they are off unless PULUMI_DEBUG_PROMISE_LEAKS is set. The trace that leads to the line in the
 * program is taken all the same, because Pulumi sets the limit itself for that one, and writes it into the state: there it has
 * the lines of the program, and not those of this package, of Pulumi and of Node.
 */
function withShortStackTraces(): () => void {
  const { stackTraceLimit, prepareStackTrace } = Error;
  if (!process.env["PULUMI_DEBUG_PROMISE_LEAKS"]) Error.stackTraceLimit = 0;
  Error.prepareStackTrace = (error, sites) => {
    const kept = sites.filter((site, index) => index < ownFrames || isOfProgram(site.getFileName()));
    return prepareStackTrace
      ? prepareStackTrace(error, kept)
      : [String(error), ...kept.map((site) => `    at ${site}`)].join("\n");
  };
  return () => {
    Error.stackTraceLimit = stackTraceLimit;
    Error.prepareStackTrace = prepareStackTrace;
  };
}

/** So many frames of its own Pulumi leaves out itself. */
const ownFrames = 5;
const ofOthers = /^node:|[\\/]node_modules[\\/](@pulumi[\\/]pulumi|ts-node|@cspotcode)[\\/]/;

function isOfProgram(file: string | null | undefined): boolean {
  return typeof file === "string" && !file.startsWith(__dirname) && !ofOthers.test(file);
}

/** The id as a number. Derived from the id, it stays known to dependents while an in-place update is previewed. */
export function numericId(id: pulumi.Output<pulumi.ID>): pulumi.Output<number> {
  return id.apply(numberOf);
}
