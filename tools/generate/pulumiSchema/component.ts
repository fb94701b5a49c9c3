/** GpuFleet as Pulumi's schema has it: the arguments of the fleet itself, and those of its machines, of either kind. */
import type { SdkDocs } from "../sdkDocs";
import type { OutputTypes } from "./fromTypeScript";
import type { NamedTypes } from "./namedTypes";
import { type ObjectSpec, objectSpec, type PropertySpec, type ResourceSpec, type TypeSpec } from "./spec";

/** Inputs of a rental that the fleet sets itself. */
const setByFleet = ["region", "fallbackRegions", "label", "adoptId", "maxCostPerHour", "waitForReady", "waitForSsh"];

/** Arguments that say which machines there are. */
const plain = ["kind", "count", "minCount", "regions", "fallbackRegions", "replacement"];

export function writeFleet(
  sdk: SdkDocs,
  types: NamedTypes,
  outputTypes: OutputTypes,
  rentals: Readonly<Record<"BareMetalRental" | "VmRental", ObjectSpec>>,
): ResourceSpec {
  const described = new Map(
    ["FleetArgs", "BareMetalFleetArgs"].flatMap((name) =>
      sdk.get(name).members.map((member) => [member.name, member] as const),
    ),
  );
  const special = specialTypes(types);
  const own = [...described.values()].map((member): [string, PropertySpec] => {
    const { name, description } = member;
    const type = special[name];
    const property = type ? { ...type, ...(description && { description }) } : outputTypes.property(member);
    return [name, plain.includes(name) ? { ...property, plain: true } : property];
  });
  const ofMachines = Object.entries(rentals).flatMap(([type, { properties }]) =>
    Object.entries(properties)
      .filter(([key]) => !setByFleet.includes(key))
      .map(([key, property]) => [key, forMachines(type, rentals, key, property)] as const),
  );
  const required = [...described.values()].filter(({ optional }) => !optional).map(({ name }) => name);
  const outputs = sdk.get("GpuFleet").members.filter(({ name }) => !["rentals", "volume"].includes(name));
  const { properties, required: given = [] } = outputTypes.object({ ...sdk.get("GpuFleet"), members: outputs });
  return {
    description: sdk.get("GpuFleet").description,
    isComponent: true,
    inputProperties: { ...Object.fromEntries(ofMachines), ...Object.fromEntries(own) },
    requiredInputs: [...required, "gpuCount"],
    properties,
    required: given,
  };
}

/** The default is the machine's own: a fleet that sent it would send it to machines of the other kind as well. */
function forMachines(
  type: string,
  rentals: Readonly<Record<string, ObjectSpec>>,
  key: string,
  { default: fallback, description = "", ...property }: PropertySpec,
): PropertySpec {
  const isOfBoth = Object.values(rentals).every(({ properties }) => key in properties);
  const only = isOfBoth ? "" : type === "VmRental" ? 'Only with `kind: "vm"`.' : 'Only with `kind: "bare-metal"`.';
  return { ...property, description: [description, only].filter(Boolean).join(" ") };
}

/** What the SDK says with unions, which other languages do not have. */
function specialTypes(types: NamedTypes): Readonly<Record<string, TypeSpec>> {
  const regions: TypeSpec = { type: "array", items: { type: "string", plain: true } };
  const batch: PropertySpec = { type: "integer", description: "Number of members that are replaced at a time." };
  const volume: Record<string, PropertySpec> = {
    sizeInGb: { type: "integer", description: "Size in GB of a new volume: a multiple of 256, from 256 to 64000." },
    protect: { type: "boolean", description: "Refuse to delete the new volume, and only it." },
    id: { type: "integer", description: "Id of an existing volume, instead of a new one." },
  };
  return {
    kind: types.enumeration("FleetKind", ["bare-metal", "vm"]),
    regions,
    fallbackRegions: regions,
    replacement: {
      oneOf: [
        { type: "string", plain: true },
        { ...types.object("FleetBatch", objectSpec({ batch: { ...batch, plain: true } }, ["batch"])), plain: true },
      ],
    },
    sharedVolume: types.object("SharedVolume", objectSpec(volume, [])),
  };
}
