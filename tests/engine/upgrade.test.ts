import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageVersion } from "../../provider/shared/packageVersion";
import { parseDeployment, Workspace } from "../../tools/workspace";
import { program, project } from "../states/program";

const folder = join(__dirname, "..", "states");
const versions = readdirSync(folder)
  .filter((name) => /^\d+\.\d+\.\d+\.json$/.test(name))
  .map((name) => name.replace(/\.json$/, ""));

/** Parts that fleets have got since. */
const added: Readonly<Record<string, readonly string[]>> = { "0.1.0": ["create fleet-ended"] };

describe("State that a released version has written", () => {
  let workspace: Workspace;

  beforeAll(async () => {
    workspace = await Workspace.create({ program, project });
  });

  afterAll(() => workspace.dispose());

  test("is recorded for this version", () => {
    expect(versions).toContain(packageVersion());
  });

  test.each(versions)("%s previews as unchanged, but for parts that were added since", async (version) => {
    const state = parseDeployment(readFileSync(join(folder, `${version}.json`), "utf8"));
    expect(state.deployment.resources.length).toBeGreaterThan(10);
    // Another configuration than that of the last `up` would be a change of its own.
    const { inputs } = state.deployment.resources.find(({ type }) => type.startsWith("pulumi:providers:")) ?? {};
    await workspace.setConfig({ "gpufleet:baseUrl": String(inputs?.["gpufleet:baseUrl"]) });
    await workspace.importState(state);
    const { steps } = await workspace.previewAsJson();
    const changes = steps.filter(({ op }) => op !== "same").map(({ op, urn }) => `${op} ${urn.split("::").at(-1)}`);
    expect(changes).toEqual(added[version] ?? []);
  });
});
