/** Prefix of our resource types as dynamic resources, as the engine knows them. */
export const dynamicPrefix = "pulumi-nodejs:dynamic/gpufleet:";

/** Prefix of everything that the plugin provides. */
export const nativePrefix = "gpufleet:index:";

/** The package that the plugin provides. */
export const nativePackage = "gpufleet";

/** The types of the providers that may have our resources. */
export const dynamicProviderType = "pulumi:providers:pulumi-nodejs";
export const nativeProviderType = "pulumi:providers:gpufleet";

/** The type of the provider of a resource of ours, by its type. */
export function providerTypeFor(token: string): string {
  return token.startsWith(nativePrefix) ? nativeProviderType : dynamicProviderType;
}

/** A component: it has the same type whichever way its parts are made, and is no resource of the service. */
export const fleetType = "GpuFleet";

/** `BareMetalRental` of a resource of this provider, dynamic or of the plugin; undefined for any other. */
export function resourceTypeOf(token: string): string | undefined {
  const prefix = [dynamicPrefix, nativePrefix].find((one) => token.startsWith(one));
  const type = prefix && token.slice(prefix.length);
  return type === fleetType ? undefined : type;
}

/**
 * A URN as it is with dynamic resources. Marks are made of this one, so that a resource has the same in both spellings: what is
 * moved from one to the other stays what it is.
 */
export function dynamicUrn(urn: string): string {
  const [head = "", project = "", types = "", ...name] = urn.split("::");
  const spelled = types
    .split("$")
    .map((token) => {
      const type = token.startsWith(nativePrefix) ? resourceTypeOf(token) : undefined;
      return type === undefined ? token : `${dynamicPrefix}${type}`;
    })
    .join("$");
  return [head, project, spelled, ...name].join("::");
}

/** Whether two URNs are of one resource: it keeps its name when it is moved from one spelling to the other. */
export function isSameUrn(one: string, other: string): boolean {
  return one === other || dynamicUrn(one) === dynamicUrn(other);
}
