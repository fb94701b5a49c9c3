import * as pulumi from "@pulumi/pulumi";
import { explicitProviderKey, providerPackage, secretInputsKey, stub } from "../provider/shared/stub";
import { dynamicPrefix, nativePackage, nativePrefix } from "../provider/shared/typeToken";
import { checkInstallation } from "./installation";
import { isPreview, organization } from "./mocks";
import { plainUrn } from "./plainUrn";
import { optionsAsInputs, withoutImport } from "./resourceOptions";
import { secretInputs } from "./secretInputs";
import { version } from "./version";

type Options = pulumi.CustomResourceOptions;
type Values = Readonly<Record<string, unknown>>;

/** A resource as a program declares it. */
export interface Declared {
  /** `BareMetalRental` */
  type: string;
  name: string;
  args: object;
  options: Options | undefined;
}

/**
 * How classes of the SDK are registered with the engine: as dynamic resources, or as resources of the plugin. The classes, their
 * arguments and outputs are the same. Each knows its type in the other front as an alias, so that a stack can be moved from one
 * to the other and back, and nothing is replaced.
 */
export interface Front {
  /** Refuses what would fail later without a word of use. */
  checkInstallation(): void;
  typeOf(type: string): string;
  inputsOf(declared: Declared): Values;
  optionsOf(declared: Declared): Options;
  /** The package that runs the resources, and so the one of explicit providers. */
  providerPackage: string;
  /** The settings of an explicit provider as its package reads them. */
  settingsOf(settings: Values): Values;
}

/**
 * The state stores a dynamic provider as source text and runs that text at refresh and destroy. Ours is one constant line per type:
 * it contains no module, path or secret, and a fix in this package reaches existing stacks.
 */
export const dynamicFront: Front = {
  checkInstallation,
  typeOf: (type) => `${dynamicPrefix}${type}`,
  inputsOf: ({ type, name, args, options }) => ({
    ...optionsAsInputs(`${type} "${name}"`, { ...args }, options),
    // The host passes a create nothing but inputs; this one identifies the resource.
    __origin: originOf(name, `${dynamicPrefix}${type}`, options),
    // What is only read must exist, and is no machine of this stack.
    ...(options?.id !== undefined && { __read: true }),
    ...previewMark(options),
    ...(options?.id === undefined && { [secretInputsKey]: secretInputs(args) }),
    __provider: stub(type),
  }),
  optionsOf: ({ type, options }) => withAlias(withoutImport(options), `${nativePrefix}${type}`),
  providerPackage,
  settingsOf: (settings) =>
    Object.fromEntries(Object.entries(settings).map(([key, value]) => [`${nativePackage}:${key}`, value])),
};

/** The plugin gets from the engine what a dynamic provider must be handed as inputs, except for the organization. */
export const nativeFront: Front = {
  checkInstallation: () => undefined,
  typeOf: (type) => `${nativePrefix}${type}`,
  inputsOf: ({ type, name, args, options }) => ({
    ...args,
    __origin: originOf(name, `${nativePrefix}${type}`, options),
    ...previewMark(options),
  }),
  // The plugin of the version that the classes are of.
  optionsOf: ({ type, options }) => ({ version, ...withAlias(options, `${dynamicPrefix}${type}`) }),
  providerPackage: nativePackage,
  settingsOf: ({ [explicitProviderKey]: _, ...settings }) => settings,
};

/** A provider is not told otherwise that this is a preview; its check takes this out again. */
function previewMark(options: Options | undefined): Values {
  return options?.id === undefined && isPreview() ? { __preview: true } : {};
}

function originOf(name: string, type: string, options: Options | undefined): pulumi.Output<string> {
  return pulumi.interpolate`${organization()}/${plainUrn(name, type, options?.parent)}`;
}

function withAlias(options: Options | undefined, type: string): Options {
  return { ...options, aliases: [...(options?.aliases ?? []), { type }] };
}
