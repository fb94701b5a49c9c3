import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "../../provider/client";
import { root } from "../../tools/bootstrap/paths";
import { createEmulatedWorkspace, type EmulatedWorkspace } from "./emulatedWorkspace";

/** What was rented by hand comes under management by the program that the command writes, in a project as `pulumi new` makes it. */
describe("gpufleet import, ls and offers on the real engine", () => {
  let emulated: EmulatedWorkspace;

  beforeAll(async () => {
    emulated = await createEmulatedWorkspace({ program: "", project: "research" });
    const { workspace, url } = emulated;
    rmSync(join(workspace.folder, "index.js"));
    workspace.write("package.json", JSON.stringify({ name: "research", private: true, main: "index.ts" }));
    workspace.write("Pulumi.yaml", JSON.stringify({ name: "research", runtime: "nodejs" }));
    const client = createClient({ baseUrl: url, apiKey: "emulator-key" });
    const train = await client.createBareMetalRental({ gpuCount: 8, networkType: "infiniband", label: 'my "train"' });
    const reserved = { termType: "reserved", termPeriodDays: 30, discountPercentage: 10 } as const;
    const more = { gpuCount: 16, networkType: "ethernet", gpuType: "h200", region: "eu-west-4" } as const;
    await client.createBareMetalRental({ ...more, ...reserved, convertToOnDemandOnExpiry: false });
    await client.createVmRental({ gpuCount: 2, region: "us-east-1", label: 'my "train"' });
    const volume = { region: "us-central-1", sizeInGb: 1024, label: "data" } as const;
    const { storageVolumeId } = await client.createStorageVolume(volume);
    await client.attachStorageVolume({ storageVolumeId, rentalIds: [train.id] });
    const [machine] = (await client.listMarketplaceMachines({ filters: {} })).instances;
    if (!machine) throw new Error("the marketplace is empty");
    const place = { cluster_name: machine.cluster_name, node_name: machine.id };
    await client.createMarketplaceInstance({ ...place, gpu_count: 2, image: { name: "trainer" } });
    await client.close();
  });

  afterAll(() => emulated.dispose());

  function start(...args: string[]) {
    const { workspace } = emulated;
    return spawn(process.execPath, [join(root, "bin", "gpufleet"), ...args], {
      cwd: workspace.folder,
      env: workspace.env,
    });
  }

  async function gpufleet(...args: string[]) {
    const child = start(...args);
    const said = { stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      said.stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said.stderr += text;
    });
    const [code] = await once(child, "close");
    return { code, ...said };
  }

  /** The program as a new project compiles it, or without the types, which is quicker. */
  const compile = (transpileOnly: boolean) => {
    const template = JSON.parse(readFileSync(join(root, "templates/gpu-fleet/tsconfig.json"), "utf8"));
    emulated.workspace.write("tsconfig.json", JSON.stringify({ ...template, "ts-node": { transpileOnly } }));
  };

  /** Everything that was ever asked of the service to change something. */
  const changes = () =>
    Object.entries(emulated.emulator.requests().counts).filter(
      ([request]) => request.startsWith("POST ") && request !== "POST /v1/marketplace",
    );
  const billing = () => emulated.emulator.state().filter((one) => one.billing).length;

  test("the program adopts everything as it is: nothing is asked of the service, and nothing is left to change", async () => {
    const { workspace } = emulated;
    const before = changes();
    expect(await gpufleet("import", "--out", "index.ts")).toEqual({
      code: 0,
      stdout: "",
      stderr: `The program for stack research/test adopts 4 machines, 1 volume, 1 attachment.
Wrote index.ts. Next: \`pulumi up\` with this program. It shows "create" for each, but creates nothing on the service.
`,
    });
    compile(false);
    const adopted = await workspace.up();
    expect({ code: adopted.code, created: adopted.summary.created }).toEqual({ code: 0, created: 7 });
    compile(true);
    expect((await workspace.succeed("up", "--yes", "--skip-preview", "--refresh")).summary).toMatchObject({
      created: 0,
      updated: 0,
      replaced: 0,
      unchanged: 7,
    });
    expect((await workspace.succeed("preview", "--expect-no-changes")).summary).toMatchObject({ unchanged: 7 });
    expect(changes()).toEqual(before);
    expect(billing()).toBe(5);
    // The machine of an adopted instance is known, and with it the price.
    const { deployment } = workspace.exportState();
    const instance = deployment.resources.find(({ type }) => type.endsWith(":MarketplaceInstance"));
    expect(instance?.outputs).toMatchObject({ costPerHour: 0.8, machine: { gpuModel: "RTX-4090" } });
  });

  test("what is managed is listed with its prices, and is not imported again", async () => {
    expect(await gpufleet("import")).toEqual({
      code: 0,
      stdout: "",
      stderr:
        "There is nothing to import into stack research/test: nothing runs in this account that is in no stack.\n",
    });
    const client = createClient({ baseUrl: emulated.url, apiKey: "emulator-key" });
    const { id } = await client.createVmRental({ gpuCount: 1, label: "later" });
    // Its program is all that keeps what was adopted.
    expect(await gpufleet("import", "--out", "index.ts", "--force")).toEqual({
      code: 1,
      stdout: "",
      stderr: `The program for stack research/test adopts 1 machine.
gpufleet: refused: stack research/test has resources, and index.ts may be their program: without it, the next \`up\` deletes them. Choose another file, and add it to that program
`,
    });
    await client.terminateRental({ rentalType: "virtual-machine", rentalId: id });
    await client.close();
    const { stdout } = await gpufleet("ls", "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      version: 1,
      stacks: ["research/test"],
      resources: [
        { type: "MarketplaceInstance", size: "2×RTX-4090", region: "us-central-1", costPerHour: 0.8 },
        { name: "my-train", type: "BareMetalRental", costPerHour: 19.92, sshCommand: expect.stringMatching(/^ssh /) },
        { name: "my-train-2", type: "VmRental", costPerHour: null },
        { name: "rental-1002", status: "Running" },
        { name: "data", type: "StorageVolume", sshCommand: null },
      ],
      total: { known: 4, unknown: 1 },
      elsewhere: { count: 0 },
    });
  });

  test("ls --watch prints one block after the other where there is no terminal, and ends with ^C", async () => {
    const child = start("ls", "--watch", "--every", "5s");
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
    while (!/stops\n[\s\S]* stops\n/.test(text)) await once(child.stdout, "data");
    child.kill("SIGINT");
    expect(await once(child, "exit")).toEqual([0, null]);
    expect(text).toMatch(
      /^\d\d:\d\d:\d\d {2}every 5s, \^C stops\nStack research\/test {2}4 machines, 28 GPUs, 1 volume: /,
    );
    expect(text).toMatch(/\n\n\d\d:\d\d:\d\d {2}every 5s, \^C stops\nStack research\/test {2}/);
  });

  test("offers asks the service of the stack, and that of the environment outside a project", async () => {
    const { stdout } = await gpufleet("offers", "--gpu-model", "h200", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ matching: 3, machines: [{ region: "eu-north-2" }, {}, {}] });
    const none = await gpufleet("offers", "--region", "eu-central-9");
    expect(none).toMatchObject({ code: 2, stdout: expect.stringContaining("none of 15 machines matches") });
    emulated.workspace.env["GPUFLEET_BASE_URL"] = emulated.url;
    const outside = await gpufleet("offers", "--cwd", "/", "--gpu-model", "h200", "--program");
    delete emulated.workspace.env["GPUFLEET_BASE_URL"];
    expect(outside).toMatchObject({ code: 0, stdout: expect.stringContaining("new gpufleet.MarketplaceInstance(") });
    expect(await gpufleet("offers", "--cwd", "/")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^gpufleet: no base URL: set GPUFLEET_BASE_URL, or run `pulumi config set/),
    });
  });

  test("destroy ends what was adopted", async () => {
    await emulated.workspace.succeed("destroy", "--yes", "--skip-preview");
    expect(billing()).toBe(0);
  });
});
