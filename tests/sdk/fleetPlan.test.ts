import * as pulumi from "@pulumi/pulumi";
import { planMembers, validateFleetArgs } from "../../sdk/fleetPlan";

const bareMetal = {
  kind: "bare-metal",
  count: 4,
  gpuCount: 8,
  networkType: "infiniband",
  regions: ["us-central-1"],
};
const vm = { kind: "vm", count: 4, gpuCount: 1, regions: ["us-central-1"] };

describe("The plan of a fleet", () => {
  test("spreads members evenly over the regions", () => {
    expect(planMembers("train", { count: 5, regions: ["us-central-1", "eu-west-3"] })).toEqual([
      { name: "train-0", region: "us-central-1" },
      { name: "train-1", region: "eu-west-3" },
      { name: "train-2", region: "us-central-1" },
      { name: "train-3", region: "eu-west-3" },
      { name: "train-4", region: "us-central-1" },
    ]);
  });

  test("does not move anyone when the fleet grows or shrinks", () => {
    const regions = ["us-central-1", "eu-west-3", "eu-west-4"];
    const large = planMembers("train", { count: 64, regions });
    for (const count of [1, 2, 3, 7, 63]) {
      expect(planMembers("train", { count, regions })).toEqual(large.slice(0, count));
    }
  });
});

describe("A valid fleet", () => {
  test.each([
    ["bare metal", bareMetal],
    ["virtual machines", vm],
    ["bare metal with a shared volume", { ...bareMetal, sharedVolume: { sizeInGb: 1024 } }],
    [
      "several regions with fallbacks",
      { ...bareMetal, regions: ["eu-west-3", "eu-west-4"], fallbackRegions: ["us-central-1"] },
    ],
    [
      "arguments of its members",
      { ...vm, gpuType: "h200", customPorts: [8080], expiresAt: "8h", timeouts: { create: "5m" } },
    ],
    [
      "values that are not known yet",
      { ...bareMetal, gpuCount: Promise.resolve(8), maxCostPerHour: Promise.resolve(100) },
    ],
    ["no machines, but a volume", { ...bareMetal, count: 0, sharedVolume: { sizeInGb: 256, protect: true } }],
    ["a volume that exists", { ...bareMetal, sharedVolume: { id: pulumi.output(7) } }],
    ["all that it takes", { ...vm, minCount: 2, replacement: { batch: 2 } }],
    ["another way to replace", { ...vm, minCount: 4, replacement: "delete-first" }],
    ["arguments that were left empty", { ...vm, label: undefined, sharedVolume: undefined }],
  ])("has no problems: %s", (_, args) => {
    expect(validateFleetArgs(args)).toEqual([]);
  });
});

describe("An invalid fleet says what is wrong:", () => {
  test.each<[string, object, string]>([
    ["no kind", { count: 4 }, 'kind is required ("bare-metal" or "vm")'],
    ["an unknown kind", { ...vm, kind: "container" }, 'kind must be "bare-metal" or "vm", not "container"'],
    ["no count", { ...vm, count: undefined }, "count is required (a whole number, 0 or more)"],
    [
      "a count that is known only later",
      { ...vm, count: pulumi.output(3) },
      'count must be a plain number, not an Output or a Promise: which resources there are must be known before any of them is created. Take it from the configuration, such as new pulumi.Config().requireNumber("count"), or await the value',
    ],
    [
      "too high a minimum",
      { ...vm, minCount: 5 },
      "minCount must be a whole number from 1 to count, which is 4, not 5",
    ],
    ["no minimum", { ...vm, minCount: 0 }, "minCount must be a whole number from 1 to count, which is 4, not 0"],
    [
      "an unknown way to replace",
      { ...vm, replacement: "rolling" },
      'replacement must be "create-first", "delete-first" or an object such as {batch: 2}, not "rolling"',
    ],
    [
      "batches of nothing",
      { ...vm, replacement: { batch: 0 } },
      'replacement must be "create-first", "delete-first" or an object such as {batch: 2}, not {"batch":0}',
    ],
    [
      "a volume that both exists and is new",
      { ...bareMetal, sharedVolume: { id: 7, sizeInGb: 256 } },
      "sharedVolume.sizeInGb cannot be combined with sharedVolume.id: a volume that exists is used as it is",
    ],
    [
      "a volume that is known only later, and not just its id",
      { ...bareMetal, sharedVolume: pulumi.output({ id: 7 }) },
      "sharedVolume must be an object such as {sizeInGb: 1024} or {id: volume.storageVolumeId}, not an Output or a Promise",
    ],
    [
      "regions that are known only later",
      { ...vm, regions: pulumi.output(["us-central-1"]) },
      'regions must be a list of at least one region, such as ["us-central-1"], not an Output or a Promise',
    ],
    [
      "a volume with an odd id",
      { ...bareMetal, sharedVolume: { id: "7" } },
      'sharedVolume.id must be the id of a volume, not "7"',
    ],
    [
      "a volume with a region of its own",
      { ...bareMetal, sharedVolume: { sizeInGb: 256, region: "eu-west-3" } },
      "sharedVolume.region does not exist: it takes sizeInGb and protect, or id",
    ],
    [
      "a volume that is protected by a word",
      { ...bareMetal, sharedVolume: { sizeInGb: 256, protect: "yes" } },
      'sharedVolume.protect must be true or false, not "yes"',
    ],
    ["half a member", { ...vm, count: 1.5 }, "count must be a whole number, 0 or more, not 1.5"],
    ["fewer than none", { ...vm, count: -1 }, "count must be a whole number, 0 or more, not -1"],
    ["a count in words", { ...vm, count: "4" }, 'count must be a whole number, 0 or more, not "4"'],
    [
      "no regions",
      { ...vm, regions: [] },
      'regions must be a list of at least one region, such as ["us-central-1"], not []',
    ],
    [
      "regions left out",
      { ...vm, regions: undefined },
      'regions is required (a list of at least one region, such as ["us-central-1"])',
    ],
    [
      "a region that does not exist",
      { ...vm, regions: ["us-centra-1"] },
      'regions: "us-centra-1" is not a region for vm. Did you mean us-central-1?',
    ],
    [
      "a region of the other kind",
      { ...bareMetal, regions: ["jp-east-1"] },
      'regions: "jp-east-1" is not a region for bare-metal. Available: us-central-1, uk-central-3, uk-southeast-3, eu-southwest-3, eu-southwest-3-1, eu-west-3, eu-west-4',
    ],
    ["a region twice", { ...vm, regions: ["us-east-1", "us-east-1"] }, 'regions lists "us-east-1" twice'],
    [
      "an unknown fallback",
      { ...vm, fallbackRegions: ["us-east-9"] },
      expect.stringMatching(
        /^fallbackRegions: "us-east-9" is not a region for vm\. Available: us-central-1, .*, jp-east-1$/,
      ),
    ],
    [
      "fallbacks that are no list",
      { ...vm, fallbackRegions: "us-east-1" },
      'fallbackRegions must be a list of regions, not "us-east-1"',
    ],
    [
      "part of a node",
      { ...bareMetal, gpuCount: 4 },
      "gpuCount must be a multiple of 8, because bare metal comes in whole nodes, not 4",
    ],
    ["no GPUs", { ...vm, gpuCount: 0 }, "gpuCount must be a whole number, 1 or more, not 0"],
    ["gpuCount left out", { ...vm, gpuCount: undefined }, "gpuCount is required (a whole number, 1 or more)"],
    [
      "a GPU in capitals",
      { ...vm, gpuType: "H100" },
      'gpuType must be one of h100, h200, b200, not "H100". Did you mean h100?',
    ],
    ["an unknown GPU", { ...vm, gpuType: "h300" }, 'gpuType must be one of h100, h200, b200, not "h300"'],
    [
      "bare metal without a network",
      { ...bareMetal, networkType: undefined },
      'networkType is required ("infiniband" or "ethernet")',
    ],
    [
      "a volume for VMs",
      { ...vm, sharedVolume: { sizeInGb: 256 } },
      'sharedVolume requires kind "bare-metal": a volume cannot be attached to a VM',
    ],
    [
      "a volume of an odd size",
      { ...bareMetal, sharedVolume: { sizeInGb: 300 } },
      "sharedVolume.sizeInGb must be a multiple of 256 from 256 to 64000, not 300",
    ],
    [
      "a volume without a size",
      { ...bareMetal, sharedVolume: {} },
      "sharedVolume.sizeInGb is required (a multiple of 256 from 256 to 64000)",
    ],
    [
      "a volume that is no object",
      { ...bareMetal, sharedVolume: 256 },
      "sharedVolume must be an object such as {sizeInGb: 1024} or {id: volume.storageVolumeId}, not 256",
    ],
    [
      "a volume in two regions",
      { ...bareMetal, regions: ["eu-west-3", "eu-west-4"], sharedVolume: { sizeInGb: 256 } },
      "sharedVolume requires all members in one region, because a volume can be used only in its own region; regions lists eu-west-3, eu-west-4. Create one fleet per region, each with its own volume",
    ],
    [
      "a volume and fallbacks",
      { ...bareMetal, fallbackRegions: ["eu-west-4"], sharedVolume: { sizeInGb: 256 } },
      "sharedVolume and fallbackRegions cannot be combined: a member in another region could not use the volume",
    ],
    ["a limit of nothing", { ...vm, maxCostPerHour: 0 }, "maxCostPerHour must be a number greater than 0, not 0"],
    [
      "ssh without waiting",
      { ...vm, waitForReady: false, waitForSsh: true },
      "waitForSsh: true requires waitForReady: true, because ssh answers only on a machine that is ready",
    ],
    [
      "GPUs without waiting",
      { ...vm, waitForReady: false, waitForGpus: true },
      "waitForGpus: true requires waitForReady: true, because GPUs answer only on a machine that is ready",
    ],
    ["one label for all", { ...vm, label: "mine" }, "label cannot be set: each member gets its own label"],
    [
      "one machine to adopt",
      { ...vm, adoptId: 7 },
      "adoptId cannot be set: it names one machine. Adopt it with a rental outside the fleet",
    ],
    [
      "a region instead of regions",
      { ...vm, region: "us-east-1" },
      'region cannot be set: a fleet takes regions, such as ["us-central-1"]',
    ],
    [
      "a misspelt argument",
      { ...vm, customPort: [80] },
      "customPort is not an argument of a vm fleet. Did you mean customPorts?",
    ],
    [
      "an argument of the other kind",
      { ...bareMetal, customPorts: [80] },
      "customPorts is not an argument of a bare-metal fleet",
    ],
  ])("%s", (_, args, problem) => {
    expect(validateFleetArgs(args)).toEqual([problem]);
  });

  test("everything at once", () => {
    expect(validateFleetArgs({ ...bareMetal, count: -1, regions: [], gpuCount: 3 })).toHaveLength(3);
  });
});
