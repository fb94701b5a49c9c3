import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { handlers } from "../../provider";
import { dynamicPrefix, nativePrefix } from "../../provider/shared/typeToken";
import { root } from "../../tools/bootstrap/paths";
import type { ResourceSpec } from "../../tools/generate/pulumiSchema/spec";
import { checkSchema } from "../../tools/sdkGenerator/sdks";
import { describeWith } from "../requirements";

const schema = JSON.parse(readFileSync(join(root, "schema.json"), "utf8"));
const types = [...handlers.values()].filter(({ definition }) => definition).map(({ type }) => type);

describe("schema.json", () => {
  test("has every resource, with the dynamic type as an alias", () => {
    expect(types).not.toEqual([]);
    for (const type of types) {
      expect(schema.resources[`${nativePrefix}${type}`].aliases).toEqual([{ type: `${dynamicPrefix}${type}` }]);
    }
  });

  test("has the fleet as a component", () => {
    expect(schema.resources[`${nativePrefix}GpuFleet`]).toMatchObject({
      isComponent: true,
      requiredInputs: ["count", "regions", "kind", "gpuCount"],
      inputProperties: {
        // Known before anything is made.
        count: { type: "integer", plain: true },
        replacement: { oneOf: [{ type: "string" }, { $ref: "#/types/gpufleet:index:FleetBatch" }], plain: true },
        // Its default belongs to the machines: VMs would refuse it.
        keepVolume: expect.not.objectContaining({ default: false }),
      },
    });
  });

  test("says to readers what replaces, and asks the engine for no replacement that the provider would not want", () => {
    const { inputProperties, properties } = schema.resources[`${nativePrefix}BareMetalRental`];
    for (const effects of [inputProperties, properties]) {
      // No import goes without it.
      expect(effects.gpuCount).toMatchObject({ type: "integer", replaceOnChanges: true });
      // No record shows it: what the program says of an imported machine is taken as it is.
      expect(effects.cudaVersion).toMatchObject({ willReplaceOnChanges: true });
      expect(effects.cudaVersion).not.toHaveProperty("replaceOnChanges");
      expect(effects.keepVolume).not.toHaveProperty("willReplaceOnChanges");
    }
    expect(properties.status).not.toHaveProperty("willReplaceOnChanges");
    for (const { inputProperties: inputs, requiredInputs } of Object.values<ResourceSpec>(schema.resources)) {
      const forced = Object.keys(inputs).filter((key) => inputs[key]?.replaceOnChanges);
      expect(requiredInputs).toEqual(expect.arrayContaining(forced));
    }
  });

  test("has enumerations, defaults and descriptions", () => {
    const { inputProperties } = schema.resources[`${nativePrefix}VmRental`];
    expect(inputProperties.gpuType).toEqual({
      $ref: "#/types/gpufleet:index:GpuType",
      description: "GPU model.",
      default: "h100",
      willReplaceOnChanges: true,
    });
    expect(schema.types[`${nativePrefix}GpuType`].enum).toContainEqual({ name: "H100", value: "h100" });
  });

  test("keeps the key secret, and takes no setting from the environment into the state", () => {
    expect(schema.provider.inputProperties.apiKey).toMatchObject({ type: "string", secret: true });
    expect(schema.config.variables).toEqual(schema.provider.inputProperties);
    expect(JSON.stringify(schema.provider)).not.toContain("defaultInfo");
  });

  test("has every function", () => {
    expect(Object.keys(schema.functions).map((token) => token.slice(nativePrefix.length))).toEqual([
      "getBalance",
      "getBareMetalRentals",
      "getMarketplaceHistory",
      "getMarketplaceInstances",
      "getMarketplaceMachines",
      "getRequestCost",
      "getStorageVolumes",
      "getVmRentals",
      "requestReservation",
    ]);
  });
});

describeWith("go", "Pulumi's own checker", () => {
  /** It is built from source, once per machine. */
  jest.setTimeout(15 * 60_000);

  test("finds nothing wrong with schema.json", async () => {
    await checkSchema();
  });

  test("finds what is wrong with another", async () => {
    const folder = mkdtempSync(join(tmpdir(), "gpufleet-schema-"));
    const file = join(folder, "schema.json");
    const { types: _, ...broken } = schema;
    writeFileSync(file, JSON.stringify(broken));
    try {
      await expect(checkSchema(file)).rejects.toThrow(
        "#/config/variables/marketplacePriceUnit/$ref: type gpufleet:index:MarketplacePriceUnit not found",
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
