import { paths } from "../emulator/rig";
import { createEmulatedWorkspace, type EmulatedWorkspace } from "./emulatedWorkspace";

interface Parts {
  node?: object;
  options?: object;
  volume?: object;
  rentals?: string;
  more?: string;
}

const program = ({ node, options = {}, volume, rentals = "node.rentalId, other.rentalId", more = "" }: Parts) => `
  const { BareMetalRental, StorageVolume, VolumeAttachment } = require("pulumi-gpufleet");
  const machine = { networkType: "infiniband", gpuCount: 8 };
  const scratch = { isNew: true, label: "scratch", sizeInGb: 300 };
  const node = new BareMetalRental("node", { ...machine, ...${JSON.stringify(node ?? {})} }, ${JSON.stringify(options)});
  const other = new BareMetalRental("other", { ...machine, storageVolume: scratch }, { dependsOn: [node] });
  new StorageVolume("data", { region: "us-central-1", sizeInGb: 1024, ...${JSON.stringify(volume ?? {})}, rentalIds: [${rentals}] });
  ${more}
`;
const type = "pulumi-nodejs:dynamic/gpufleet:";

describe("Changes on the real engine", () => {
  let emulated: EmulatedWorkspace;

  beforeAll(async () => {
    emulated = await createEmulatedWorkspace({ program: program({}) });
    expect(await emulated.workspace.up()).toMatchObject({ code: 0, summary: { created: 4 } });
  });

  afterAll(() => emulated.dispose());

  const write = (parts: Parts) => emulated.workspace.writeProgram(program(parts));
  /** The lines of each resource that a preview with `--diff` shows, without ids and names. */
  const linesOf = (output: string) =>
    output
      .split(/^ {4}\S*pulumi-nodejs:dynamic\/gpufleet:/m)
      .slice(1)
      .map((part) => part.split(/^(?:Resources|Diagnostics):/m)[0] ?? "")
      .map((part) => part.split("\n").filter((line) => /^ {6,}[~+-] /.test(line)))
      .map((lines) => lines.map((line) => line.trim()));

  test("are shown line by line, without outputs, labels or the order of a set; what a replacement deletes is said on the row", async () => {
    const { workspace } = emulated;
    write({ node: { gpuType: "h200" }, volume: { sizeInGb: 2048 }, rentals: "other.rentalId" });
    const { output } = await workspace.preview("--diff");
    expect(linesOf(output)).toEqual([
      ['~ gpuType: "h100" => "h200"'],
      ["~ rentalIds: [", "~ [0]: 1001 => 1002", "- [1]: 1002", "~ sizeInGb : 1024 => 2048"],
    ]);
    expect(output).toContain(
      "warning: replacing this storage volume deletes its 1,024 GB of data, unless retainOnDelete is set. Copy what you need first, or set protect: true to prevent the replacement.",
    );
    write({ volume: { sizeInGb: 2048 }, rentals: "other.rentalId, node.rentalId" });
    const { steps } = await workspace.previewAsJson();
    expect(steps.find(({ urn }) => urn.endsWith("::data"))).toMatchObject({
      op: "replace",
      replaceReasons: ["sizeInGb"],
      detailedDiff: { sizeInGb: { kind: "update", inputDiff: true } },
    });
  });

  test("obey the program's own replaceOnChanges and ignoreChanges", async () => {
    const { workspace } = emulated;
    write({ node: { expiresAt: "8h" } });
    expect(await workspace.preview()).toMatchObject({ summary: { updated: 1, replaced: 0 } });
    write({ node: { expiresAt: "8h" }, options: { replaceOnChanges: ["expiresAt"] } });
    // The volume is to be attached to the new machine.
    expect(await workspace.preview()).toMatchObject({ summary: { updated: 1, replaced: 1 } });
    write({ node: { gpuType: "h200" }, options: { ignoreChanges: ["gpuType"] } });
    expect(await workspace.preview("--expect-no-changes")).toMatchObject({ code: 0 });
  });

  test("by a renamed alias are none, and the row of the new name is the one that is written on", async () => {
    const { workspace } = emulated;
    const renamed = program({}).replace('"node"', '"renamed"').replace(", {});", ', { aliases: [{ name: "node" }] });');
    workspace.writeProgram(renamed);
    expect(await workspace.up()).toMatchObject({ code: 0, summary: { unchanged: 4 } });
    workspace.writeProgram(
      `const { BareMetalRental } = require("pulumi-gpufleet");
       new BareMetalRental("again", { networkType: "infiniband", gpuCount: 8, adoptId: 1001 });`.concat(
        renamed.slice(renamed.indexOf("const machine")),
      ),
    );
    const { output } = await workspace.up();
    expect(output).toContain(
      `bare-metal rental 1001 is already managed by urn:pulumi:test::workspace::${type}BareMetalRental::renamed`,
    );
    const destroyed = await workspace.destroy();
    expect(destroyed.code).toBe(0);
    expect(destroyed.output).toMatch(/BareMetalRental renamed deleting/);
    expect(destroyed.output).not.toMatch(/\bnode\b/);
    for (const [name, lost] of [
      ["data", "its 1,024 GB of data"],
      ["other", "its storage volume with 300 GB of data"],
    ]) {
      expect(destroyed.output).toMatch(new RegExp(`\\(${name}\\):\\n +warning: this deletes ${lost}\\n`));
    }
  });

  test("that depend on a failed one are skipped with --continue-on-error, without a word about values they never got", async () => {
    const { workspace, emulator } = emulated;
    write({
      more: 'new VolumeAttachment("mount", { storageVolumeId: 1, rentalIds: [node.rentalId] });',
      rentals: "other.rentalId",
    });
    const refused = { match: { method: "POST", path: paths.bareMetal }, kind: "status" as const, status: 400 };
    emulator.faults.add({ ...refused, body: { message: "quota used up" } });
    const { code, output } = await workspace.up("--continue-on-error");
    expect(code).not.toBe(0);
    const errors = output.slice(output.indexOf("Diagnostics:")).match(/error: .*/g);
    expect(new Set(errors)).toEqual(
      new Set([
        'error: creating BareMetalRental "node": POST /v2/alpha/on-demand/bare-metal-rentals answered 400: quota used up',
        "error: update failed",
      ]),
    );
    expect(emulator.state().filter(({ billing }) => billing)).toEqual([]);
  });
});
