import { readPrices } from "../../provider/shared/prices";
import type { CommentRequest } from "../../cli/commands/comment/compose";

/** A change whose preview is kept, with the comment over it. */
export interface Scenario {
  /** Its folder under tests/golden. */
  name: string;
  /** What is up before the change. */
  base: keyof typeof bases;
  /** The program that is previewed. */
  program: string;
  /** Flags of `pulumi preview` besides `--json --show-sames`. */
  flags?: readonly string[];
  /** Whether unchanged resources are left out of the preview. */
  withoutSames?: boolean;
  /** Whether a policy pack looks at it. */
  policies?: boolean;
  /** What ends on the service behind the engine's back: bare-metal rentals whose label begins like this. */
  ends?: string;
  config?: Readonly<Record<string, string>>;
  comment?: Partial<CommentRequest>;
  /** Whether the comment is kept as JSON as well. */
  json?: false;
}

const program = (...lines: string[]) =>
  ['const g = require("pulumi-gpufleet");', 'const pulumi = require("@pulumi/pulumi");', ...lines].join("\n");

const parts = {
  train: (name: string, args = "") =>
    `const ${name} = new g.BareMetalRental("${name.replace("_", "-")}", { networkType: "infiniband", gpuCount: 8, ${args} });`,
  data: (size: number, options = "") =>
    `const data = new g.StorageVolume("data", { region: "us-central-1", sizeInGb: ${size} }${options});`,
  attach:
    'new g.VolumeAttachment("data-on-train", { storageVolumeId: data.storageVolumeId, rentalIds: [train_0.rentalId, train_1.rentalId] });',
  workbench: (args = "") => `new g.VmRental("workbench", { gpuCount: 1, ${args} });`,
  bargain:
    'new g.MarketplaceInstance("bargain", { gpuCount: 2, select: { gpuModel: "L40S" }, image: { name: "ubuntu", tag: "24.04", port: 22 } });',
  scratch:
    'new g.BareMetalRental("scratch", { networkType: "ethernet", gpuCount: 8, gpuType: "h200", region: "eu-west-3", storageVolume: { isNew: true, label: "scratch-disk", sizeInGb: 512 } }, { dependsOn: [data] });',
};

const team = [
  parts.train("train_0"),
  parts.train("train_1"),
  parts.data(2048),
  parts.attach,
  parts.workbench(),
  parts.bargain,
  parts.scratch,
];

/** The team's stack with one of its lines changed, or further lines. */
function teamWith(changes: Readonly<Record<number, string>>, ...more: string[]): string {
  return program(...team.map((line, index) => changes[index] ?? line), ...more);
}

const twoRegions = 'regions: ["us-central-1", "eu-west-3"]';
const fleetLine = (name: string, count: number, args = `${twoRegions}, gpuType: "b200"`) =>
  `new g.GpuFleet(${JSON.stringify(name)}, { kind: "bare-metal", count: ${count}, networkType: "infiniband", gpuCount: 8, ${args} });`;
const withVolume = 'regions: ["us-central-1"], gpuType: "h100", sharedVolume: { sizeInGb: 2048 }';

const fleet = (count: number, size = 1024, args?: string) =>
  program(fleetLine("fleet", count, args), parts.data(size));

const leaving = program(
  'const kept = new g.BareMetalRental("kept", { networkType: "ethernet", gpuCount: 8, keepVolume: true, storageVolume: { isNew: true, label: "kept-disk", sizeInGb: 1024 } });',
  parts.data(512, ", { retainOnDelete: true, dependsOn: [kept] }"),
);

/** What hostile people call their resources. */
const hostile = [
  "`</details>`",
  "a|b|c",
  "<img src=x onerror=alert(1)>",
  "@everyone #1",
  "](https://evil.example)",
  "**bold** _it_",
  "```js",
  "a\\|<b>b</b>",
];

export const bases = {
  nothing: undefined,
  team: program(...team),
  fleet: fleet(4),
  leaving,
} as const;

export const scenarios: readonly Scenario[] = [
  { name: "create", base: "nothing", program: program(...team) },
  {
    name: "create-with-given-prices",
    base: "nothing",
    program: program(...team),
    comment: {
      price: readPrices('{"h100": 2.49, "storage": 0.0001}'),
    },
  },
  { name: "nothing-changed", base: "team", program: program(...team) },
  {
    name: "one-more",
    base: "team",
    program: teamWith({}, parts.train("train_2")),
    comment: { maxCostPerHour: 100, allowUnknownPrices: true },
  },
  {
    name: "replace",
    base: "team",
    program: teamWith({ 1: parts.train("train_1", 'gpuType: "h200"') }),
    comment: { maxCostPerHour: 50 },
  },
  { name: "volume-loss", base: "team", program: teamWith({ 2: parts.data(4096) }), comment: { forbidDataLoss: true } },
  { name: "inline-volume-loss", base: "team", program: program(...team.slice(0, 6)) },
  { name: "delete-everything", base: "team", program: program(), config: { "gpufleet:maxCostPerHour": "60" } },
  {
    name: "update-in-place",
    base: "team",
    program: teamWith({
      1: parts.train("train_1", 'expiresAt: "8h", maxCostPerHour: 25'),
      4: parts.workbench('expiresAt: "2030-01-01T00:00:00Z"'),
    }),
  },
  {
    name: "unknown-prices",
    base: "team",
    program: teamWith({}, 'new g.VmRental("second", { gpuCount: 4, gpuType: "b200" });'),
    comment: { maxCostPerHour: 1000 },
  },
  {
    name: "secrets",
    base: "team",
    program: teamWith(
      {},
      'new g.BareMetalRental("hidden", { networkType: "infiniband", gpuCount: 8, label: pulumi.secret("top-secret-label") });',
      'new g.MarketplaceInstance("private", { gpuCount: 1, select: {}, image: pulumi.secret({ name: "registry.example/team/private", tag: "1", password: "hunter2-hunter2" }) });',
    ),
  },
  {
    name: "another-provider",
    base: "team",
    program: teamWith(
      {},
      'new pulumi.dynamic.Resource({ create: async () => ({ id: "1", outs: {} }) }, "note", { text: "hello", token: pulumi.secret("hunter2-hunter2") });',
    ),
  },
  {
    name: "without-sames",
    base: "team",
    program: teamWith({}, parts.train("train_2")),
    withoutSames: true,
    comment: { maxCostPerHour: 1000 },
  },
  {
    name: "failed-check",
    base: "team",
    // Alone: what the engine has done before it hears of a failure is another at each run.
    program: program(parts.train("train_1").replace("gpuCount: 8", "gpuCount: 7")),
    comment: { maxCostPerHour: 1000, forbidDataLoss: true },
  },
  {
    name: "failed-program",
    base: "team",
    program: program('throw new Error("cannot reach https://10.1.2.3:8443/inventory");'),
  },
  { name: "policies", base: "team", program: teamWith({}, parts.train("train_2")), policies: true },
  {
    name: "hostile-names",
    base: "nothing",
    program: program(
      ...hostile.map((name) => `new g.VmRental(${JSON.stringify(name)}, { gpuCount: 1 });`),
      fleetLine("</summary><b>`@everyone`|#1", 2),
      fleetLine("www.evil.example", 1),
    ),
  },
  {
    name: "over-budget",
    base: "team",
    program: teamWith({}, parts.train("train_2")),
    config: { "gpufleet:maxCostPerHour": "60" },
  },
  { name: "fleet-up", base: "fleet", program: fleet(6) },
  { name: "fleet-down", base: "fleet", program: fleet(1) },
  { name: "fleet-to-unknown-price", base: "fleet", program: fleet(4, 1024, `${twoRegions}, gpuType: "h200"`) },
  {
    name: "first-fleet",
    base: "nothing",
    program: program(fleetLine("train", 20, withVolume)),
    config: { "gpufleet:prices": '{"storage": 0.0001}' },
    json: false,
  },
  {
    name: "first-fleet-with-prices",
    base: "nothing",
    program: program(fleetLine("train", 4, withVolume)),
    config: { "gpufleet:prices": '{"h100": 2.49, "storage": 0.0001}' },
    comment: { maxCostPerHour: 50, forbidDataLoss: true },
  },
  { name: "five-hundred", base: "fleet", program: fleet(500, 2048), json: false },
  { name: "healing", base: "fleet", program: fleet(4), ends: "fleet-1-", flags: ["--refresh"] },
  { name: "left-behind", base: "leaving", program: program() },
];
