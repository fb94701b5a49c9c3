/**
 * What every resource promises on the real engine, told once: up, unchanged, refreshed, each immutable field replaced, deleted
 * behind our back and made again, destroyed with nothing left that bills.
 */
import type { ObjectState } from "../../emulator";
import { type Client, createClient } from "../../provider/client";
import { createEmulatedWorkspace, type EmulatedWorkspace } from "./emulatedWorkspace";

export interface ResourceStory {
  /** The class of the SDK. */
  resource: string;
  kind: ObjectState["kind"];
  /** Arguments by name of the resource, before and after. */
  before: Readonly<Record<string, object>>;
  /** Those in `replaced` and `updated` differ from `before`. */
  after: Readonly<Record<string, object>>;
  replaced: readonly string[];
  updated: readonly string[];
  /** Ends one behind the provider's back. */
  end(client: Client, id: string): Promise<unknown>;
  config?: Readonly<Record<string, string>>;
}

/** A program that makes resources of one class. */
export function programOf(resource: string, resources: Readonly<Record<string, object>>): string {
  return `
    const { ${resource} } = require("pulumi-gpufleet");
    for (const [name, args] of Object.entries(${JSON.stringify(resources)})) {
      const made = new ${resource}(name, args);
      exports[name] = { id: made.id, status: made.status };
    }
  `;
}

export function tellResourceStory(story: ResourceStory): void {
  const { resource, kind, before, after, replaced, updated } = story;
  const names = Object.keys(before);
  let emulated: EmulatedWorkspace;
  let client: Client;

  beforeAll(async () => {
    emulated = await createEmulatedWorkspace({
      program: programOf(resource, before),
      // What is missing from the lists a second after it was made is gone.
      env: { GPUFLEET_RECONCILE_SECONDS: "1" },
      ...(story.config && { config: story.config }),
    });
    client = createClient({ baseUrl: emulated.url, apiKey: "emulator-key" });
  });

  afterAll(async () => {
    await client.close();
    await emulated.dispose();
  });

  const billing = () => emulated.emulator.state().filter((made) => made.kind === kind && made.billing);
  const ids = async () => {
    const { deployment } = await emulated.workspace.exportState();
    const ours = deployment.resources.filter(({ type }) => type.endsWith(`:${resource}`));
    return new Map(ours.map(({ urn, id }) => [urn.slice(urn.lastIndexOf("::") + 2), id]));
  };

  test("up makes each of them once", async () => {
    expect(await emulated.workspace.up()).toMatchObject({ code: 0, summary: { created: names.length + 1 } });
    expect(billing()).toHaveLength(names.length);
    expect(new Set((await ids()).values())).toEqual(new Set(billing().map(({ id }) => String(id))));
  });

  test("a preview and a refresh find nothing changed", async () => {
    const preview = await emulated.workspace.preview("--expect-no-changes");
    expect(preview).toMatchObject({ code: 0, summary: { unchanged: names.length + 1 } });
    for (const time of ["first", "second"]) {
      const refresh = await emulated.workspace.refresh("--expect-no-changes");
      expect({ time, code: refresh.code, summary: refresh.summary }).toMatchObject({
        time,
        code: 0,
        summary: { unchanged: names.length + 1 },
      });
    }
  });

  test(`replaces what changed for good (${replaced.join(", ")}), and ends the old ones`, async () => {
    const old = await ids();
    emulated.workspace.writeProgram(programOf(resource, after));
    const { steps } = await emulated.workspace.previewAsJson();
    const planned = (op: string) =>
      steps.filter((step) => step.op === op).map(({ urn }) => urn.slice(urn.lastIndexOf("::") + 2));
    expect(planned("replace").sort()).toEqual([...replaced].sort());
    expect(planned("update").sort()).toEqual([...updated].sort());
    const run = await emulated.workspace.up();
    expect(run).toMatchObject({ code: 0, summary: { replaced: replaced.length, updated: updated.length } });
    const now = await ids();
    expect(names.filter((name) => old.get(name) !== now.get(name)).sort()).toEqual([...replaced].sort());
    expect(new Set(billing().map(({ id }) => String(id)))).toEqual(new Set(now.values()));
  });

  test("what was ended behind our back is made again", async () => {
    const [name = ""] = names;
    const id = (await ids()).get(name) ?? "";
    await story.end(client, id);
    await emulated.workspace.refresh();
    expect(await ids()).not.toContain(name);
    expect(await emulated.workspace.up()).toMatchObject({
      code: 0,
      summary: { created: 1, unchanged: names.length },
    });
    expect((await ids()).get(name)).not.toBe(id);
    expect(billing()).toHaveLength(names.length);
  });

  test("destroy leaves nothing that bills", async () => {
    expect(await emulated.workspace.destroy()).toMatchObject({ code: 0, summary: { deleted: names.length + 1 } });
    expect(emulated.emulator.state().filter((made) => made.billing)).toEqual([]);
    expect((await emulated.workspace.exportState()).deployment.resources).toEqual([]);
  });
}
