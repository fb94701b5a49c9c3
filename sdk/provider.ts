import * as pulumi from "@pulumi/pulumi";
import type { SettingName } from "../provider/shared/settingNames";
import { nearest } from "../provider/shared/spelling";
import { explicitProviderKey } from "../provider/shared/stub";
import { isDefaultName } from "../provider/shared/urn";
import { dynamicFront, type Front } from "./front";
import { plainUrn } from "./plainUrn";

/** Settings of a provider. What is left out comes from the environment, never from the stack's configuration. */
export interface ProviderArgs {
  /** Address of the service. Default: `GPUFLEET_BASE_URL`. */
  baseUrl?: pulumi.Input<string> | undefined;
  /** API key; stored encrypted. Default: `GPUFLEET_API_KEY`, unless `baseUrl` is another address than `GPUFLEET_BASE_URL`. */
  apiKey?: pulumi.Input<string> | undefined;
  /** Address of the v1 interface. Default: `baseUrl`. */
  v1BaseUrl?: pulumi.Input<string> | undefined;
  /** Distinguishes stacks with the same organization, project and name in different backends. */
  namespace?: pulumi.Input<string> | undefined;
  /** Maximum price of all that the stack runs in the account of this provider, in USD per hour. */
  maxCostPerHour?: pulumi.Input<number> | undefined;
  /** Your own price book, as in `gpufleet:prices`. */
  prices?: pulumi.Input<object> | undefined;
  /** Requests for undocumented operations, as in `gpufleet:operations`. */
  operations?: pulumi.Input<object> | undefined;
  /** Unit of marketplace prices. Default: `usd`. */
  marketplacePriceUnit?: pulumi.Input<"usd" | "cents"> | undefined;
  /** How long the service's lists may lag behind, in seconds. Default: 120. */
  reconcileSeconds?: pulumi.Input<number> | undefined;
  /** Earlier addresses of the service, after a deliberate move. */
  movedFrom?: pulumi.Input<string[]> | undefined;
  /** Private key that opens the machines, for `waitForGpus`, if ssh does not find it by itself. */
  sshKeyFile?: pulumi.Input<string> | undefined;
}

/** How each setting is written: as in the stack's configuration. */
const writers: Readonly<Record<keyof ProviderArgs & SettingName, (value: unknown) => string>> = {
  baseUrl: String,
  apiKey: String,
  v1BaseUrl: String,
  namespace: String,
  maxCostPerHour: String,
  prices: (value) => JSON.stringify(value),
  operations: (value) => JSON.stringify(value),
  marketplacePriceUnit: String,
  reconcileSeconds: String,
  movedFrom: (value) => [value].flat().join(","),
  sshKeyFile: String,
};

/** Settings as they are written, by their names. */
type Settings = Readonly<Record<string, string | undefined>>;

const settingsOfProviders = new WeakMap<pulumi.Resource, pulumi.Output<Settings>>();

/**
 * A service or an account of its own, for resources, fleets and functions that are given it as `provider`, in `providers` or from
 * their parent. Its settings take precedence over the environment. It cannot be called `default` or `default_0_1_0` (any version):
 * Pulumi uses these names for the providers that it creates itself.
 */
export class Provider extends pulumi.ProviderResource {
  protected static readonly front: Front = dynamicFront;

  constructor(name: string, args: ProviderArgs = {}, options?: pulumi.ResourceOptions) {
    const { front } = new.target;
    front.checkInstallation();
    if (isDefaultName(name)) {
      throw new pulumi.RunError(
        `Provider "${name}" needs another name: Pulumi gives this one to the provider that it makes itself from the stack's configuration.`,
      );
    }
    const settings: Record<string, pulumi.Input<string | undefined>> = {
      ...writeSettings(name, args),
      [explicitProviderKey]: plainUrn(name, `pulumi:providers:${front.providerPackage}`, options?.parent),
    };
    super(front.providerPackage, name, front.settingsOf(settings), options);
    settingsOfProviders.set(this, pulumi.output(settings));
  }
}

function writeSettings(name: string, args: ProviderArgs): Record<string, pulumi.Output<string | undefined>> {
  const given = Object.entries(args).filter(([, value]) => !isMissing(value));
  return Object.fromEntries(
    given.map(([key, value]) => {
      const write = Object.entries(writers).find(([known]) => known === key)?.[1];
      if (!write) throw new pulumi.RunError(`Provider "${name}" has no setting ${key}. ${suggestion(key)}`);
      // An output may turn out to have no value, as that of another stack: then the setting is left out.
      const text = pulumi.output(value).apply((known) => (isMissing(known) ? undefined : write(known)));
      return [key, sealed(text, key === "apiKey")];
    }),
  );
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}

/** A secret, if it is one and there is a value: Pulumi registers a secret without one as an empty one, which nobody has set. */
function sealed(text: pulumi.Output<string | undefined>, isKey: boolean): pulumi.Output<string | undefined> {
  const isSecret = pulumi.isSecret(text).then((found) => found || isKey);
  return pulumi
    .all([pulumi.unsecret(text), isSecret])
    .apply(([known, closed]) =>
      closed && known !== undefined ? pulumi.secret<string | undefined>(known) : pulumi.output(known),
    );
}

function suggestion(key: string): string {
  const known = Object.keys(writers);
  const guess = nearest(key, known);
  return guess ? `Did you mean ${guess}?` : `Available: ${known.join(", ")}`;
}

/** The settings of a provider; undefined where it is not one of ours. Unknown in a preview that does not know all of them. */
export function settingsOf(provider: pulumi.Resource): pulumi.Output<Settings> | undefined {
  return settingsOfProviders.get(provider);
}
