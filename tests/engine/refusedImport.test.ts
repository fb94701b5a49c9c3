import { defaults } from "../../emulator";
import { createClient } from "../../provider/client";
import { createEmulatedWorkspace } from "./emulatedWorkspace";
import { expectSuccess } from "./expectSuccess";

const program = (label: string, options: string) => `
  const { BareMetalRental } = require("pulumi-gpufleet/native");
  new BareMetalRental("train", { networkType: "infiniband", gpuCount: 8, label: "${label}" }, { ${options} });
`;

describe("A machine that the program has never agreed with", () => {
  async function byHand() {
    const env = { GPUFLEET_RECONCILE_SECONDS: "1" };
    const emulated = await createEmulatedWorkspace({ program: "", plugin: true, env });
    const client = createClient({ baseUrl: emulated.url, apiKey: defaults.apiKey });
    const { id } = await client.createBareMetalRental({ networkType: "infiniband", gpuCount: 8, label: "theirs" });
    const billing = () => emulated.emulator.state().filter((one) => one.billing);
    return { ...emulated, id, billing };
  }

  test.each([
    ["a destroy", [], true],
    ["a destroy with a program that still imports it", ["--run-program"], true],
    ["a destroy with a program that no longer imports it", ["--run-program"], false],
  ] as const)("is not terminated by %s", async (_, options, stays) => {
    const { workspace, id, billing, dispose } = await byHand();
    workspace.writeProgram(program("ours", `import: "${id}"`));
    expect((await workspace.up()).output).toContain("cannot be imported, because it differs from the program");
    workspace.writeProgram(program("ours", stays ? `import: "${id}"` : ""));
    const refresh = await workspace.refresh(...options);
    expectSuccess(refresh);
    const destroyed = await workspace.destroy(...options);
    expectSuccess(destroyed);
    expect(destroyed.output).toContain(
      `bare-metal rental ${id} is left as it is, and costs $19.92/h: it was imported, and no \`pulumi up\` has completed since with a program that agrees with it`,
    );
    expect(billing()).toHaveLength(1);
    await dispose();
  });

  test("is terminated with the stack if the command `pulumi import` has brought it in", async () => {
    const { workspace, id, billing, dispose } = await byHand();
    const what = ["gpufleet:index:BareMetalRental", "train", String(id)];
    expectSuccess(await workspace.pulumi("import", ...what, "--yes", "--generate-code=false", "--protect=false"));
    expectSuccess(await workspace.destroy());
    expect(billing()).toEqual([]);
    await dispose();
  });

  test("is terminated with the stack where the program agrees with it and ignores all changes", async () => {
    const { workspace, id, billing, dispose } = await byHand();
    workspace.writeProgram(program("theirs", `import: "${id}", ignoreChanges: ["*"]`));
    expectSuccess(await workspace.up());
    expectSuccess(await workspace.up());
    expectSuccess(await workspace.destroy());
    expect(billing()).toEqual([]);
    await dispose();
  });

  test("is terminated with the stack once the program has agreed with it", async () => {
    const { workspace, id, billing, dispose } = await byHand();
    workspace.writeProgram(program("ours", `import: "${id}"`));
    await workspace.up();
    workspace.writeProgram(program("theirs", `import: "${id}"`));
    expectSuccess(await workspace.up());
    expectSuccess(await workspace.destroy());
    expect(billing()).toEqual([]);
    await dispose();
  });
});
