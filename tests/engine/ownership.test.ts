import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { defaults } from "../../emulator";
import { type Client, createClient } from "../../provider/client";
import { Workspace } from "../../tools/workspace";
import { paths } from "../emulator/rig";
import { createEmulatedWorkspace, type EmulatedWorkspace } from "./emulatedWorkspace";

const program = (adopting = "") => `
  const { BareMetalRental, VmRental } = require("pulumi-gpufleet");
  const node = { networkType: "infiniband", gpuCount: 8 };
  new BareMetalRental("made", node);
  new VmRental("not-made", { gpuCount: 1 });
  ${adopting}
`;

describe("Creates whose outcome is unknown, on the real engine", () => {
  let emulated: EmulatedWorkspace;
  let namesake: Workspace | undefined;
  let client: Client;

  beforeAll(async () => {
    emulated = await createEmulatedWorkspace({ program: program(), env: { GPUFLEET_RECONCILE_SECONDS: "2" } });
    client = createClient({ baseUrl: emulated.url, apiKey: defaults.apiKey });
  });

  afterAll(async () => {
    await namesake?.dispose();
    await client.close();
    await emulated.dispose();
  });

  const billing = () => emulated.emulator.state().filter((made) => made.billing);
  const ids = async (workspace = emulated.workspace) => {
    const { deployment } = workspace.exportState();
    const ours = deployment.resources.filter(({ type }) => type.includes("gpufleet:"));
    return Object.fromEntries(ours.map(({ urn, id }) => [urn.split("::").at(-1), id]));
  };

  test("are kept in the state as unresolved when the lists do not show them in time", async () => {
    emulated.emulator.faults.add(
      { match: { method: "POST", path: paths.bareMetal }, kind: "reset-after" },
      { match: { method: "GET", path: paths.bareMetal }, times: 99, kind: "stale-list", seconds: 3600 },
      { match: { method: "POST", path: paths.vm }, kind: "reset-before" },
    );
    const { code, output } = await emulated.workspace.up();
    emulated.emulator.faults.clear();
    expect(code).toBe(1);
    expect(output).toMatch(/It is unknown whether it was created: "made-\S+" was not listed within \d+s\./);
    expect(await ids()).toEqual({
      made: expect.stringMatching(/^unresolved:made-/),
      "not-made": expect.stringMatching(/^unresolved:not-made-/),
    });
    expect(billing()).toMatchObject([{ kind: "bare-metal", id: 1001 }]);
  });

  const stateFile = (stack: string) => emulated.workspace.stateFile(stack);

  /** Another stack of the backend, like this one but for what is changed in its state. */
  function addStack(name: string, change: (state: string) => string) {
    const { project } = emulated.workspace;
    const theirs = readFileSync(stateFile("test"), "utf8")
      .replaceAll("urn:pulumi:test::", `urn:pulumi:${name}::`)
      .replaceAll(`organization/${project}/test`, `organization/${project}/${name}`);
    writeFileSync(stateFile(name), change(theirs));
  }

  test("are healed by a plain up: one machine each, whether or not it was made, and whoever has its id elsewhere", async () => {
    addStack("far", (state) =>
      state.replaceAll(emulated.url, "https://far.example").replace(/"unresolved:made-[^"]*"/, '"1001"'),
    );
    expect(await emulated.workspace.up()).toMatchObject({ code: 0, summary: { replaced: 2, unchanged: 1 } });
    expect(await ids()).toEqual({ made: "1001", "not-made": "1002" });
    expect(billing().map(({ id }) => id)).toEqual([1001, 1002]);
    expect(emulated.emulator.requests().counts[`POST ${paths.bareMetal}`]).toBe(1);
    expect(await emulated.workspace.preview("--expect-no-changes")).toMatchObject({ code: 0 });
    expect(await emulated.workspace.refresh("--expect-no-changes")).toMatchObject({ code: 0 });
  });

  test("of a stack of the same name in another backend are refused and named, until a namespace tells them apart", async () => {
    namesake = await Workspace.create({
      program: program(),
      config: { "gpufleet:baseUrl": emulated.url },
      env: { GPUFLEET_API_KEY: defaults.apiKey },
    });
    const { code, output } = await namesake.up();
    expect(code).toBe(1);
    expect(output).toMatch(
      /creating BareMetalRental "made": refused, nothing was created: bare-metal rental 1001 "made-\S+" \(Running, 8×h100 in us-central-1, \$19\.92\/h, for \S+\) was created for this resource/,
    );
    expect(output).toContain("set gpufleet:namespace for this one.");
    expect(billing()).toHaveLength(2);
    await namesake.setConfig({ "gpufleet:namespace": "second" });
    expect(await namesake.up()).toMatchObject({ code: 0 });
    expect(billing()).toHaveLength(4);
    expect(await namesake.destroy()).toMatchObject({ code: 0 });
    expect(billing().map(({ id }) => id)).toEqual([1001, 1002]);
  });

  test("do not arise where a machine is adopted; one id goes to one resource", async () => {
    const { id } = await client.createBareMetalRental({ networkType: "infiniband", gpuCount: 8, label: "by-hand" });
    const adopt = (name: string) => `new BareMetalRental("${name}", { ...node, adoptId: ${id} });`;
    const urnOf = (name: string, stack = "test") =>
      `urn:pulumi:${stack}::workspace::pulumi-nodejs:dynamic/gpufleet:BareMetalRental::${name}`;
    addStack("near", (state) =>
      state
        .replaceAll(/"made-[^"]*"/g, '"by-hand"')
        .replaceAll('"1001"', `"${id}"`)
        // Else it would be another one with this id.
        .replaceAll(/"created":\s*"[^"]*",/g, ""),
    );
    emulated.workspace.writeProgram(program(adopt("adopted")));
    const held = await emulated.workspace.up();
    expect(held.code).toBe(1);
    expect(held.output).toContain(`cannot be adopted: it is already managed, by ${urnOf("made", "near")}.`);
    rmSync(stateFile("near"));
    emulated.workspace.writeProgram(program(adopt("adopted")));
    expect(await emulated.workspace.up()).toMatchObject({ code: 0, summary: { created: 1, unchanged: 3 } });
    expect(await ids()).toMatchObject({ adopted: String(id) });
    emulated.workspace.writeProgram(program(adopt("adopted") + adopt("second")));
    const { code, output } = await emulated.workspace.up();
    expect(code).toBe(1);
    expect(output).toMatch(
      /bare-metal rental \d+ is already managed by urn:\S+::adopted: two resources cannot have the same adoptId/,
    );
    const targeted = await emulated.workspace.up("--target", urnOf("second"));
    expect(targeted.code).toBe(1);
    expect(targeted.output).toContain(
      `cannot be adopted: it is already managed, by ${urnOf("adopted")}. This run leaves that resource as it is (--target, --exclude).`,
    );
    emulated.workspace.writeProgram(program(adopt("adopted")));
    // Forced, and without the refresh that would tell the provider of it.
    expect(await emulated.workspace.up("--replace", urnOf("adopted"))).toMatchObject({
      code: 0,
      summary: { replaced: 1 },
    });
    expect(billing().map((made) => made.id)).toContain(id);
  });

  test("leave nothing that bills after destroy", async () => {
    expect(await emulated.workspace.destroy()).toMatchObject({ code: 0 });
    expect(billing()).toEqual([]);
  });
});
