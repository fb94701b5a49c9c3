/**
 * What every resource promises on the real engine: up, unchanged, refreshed, each immutable field replaced, deleted behind our
 * back and made again, destroyed with nothing left that bills. All classes live through it in one stack: a run of the engine
 * takes seconds, however much is in it.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type Client, createClient } from "../../provider/client";
import { createEmulatedWorkspace, type EmulatedWorkspace } from "./emulatedWorkspace";
import type { ResourceStory } from "./stories/story";

const folder = join(__dirname, "stories");
const stories: readonly ResourceStory[] = readdirSync(folder)
  .filter((file) => file !== "story.ts")
  .map((file) => require(join(folder, file)).story);

/** `BareMetalRental same`, as it is named in what these tests compare. */
const fullName = (resource: string, name: string) => `${resource} ${name}`;
const namesIn = (pick: (story: ResourceStory) => readonly string[]): string[] =>
  stories.flatMap((story) => pick(story).map((name) => fullName(story.resource, name))).sort();

const all = namesIn(({ before }) => Object.keys(before));
const replaced = namesIn((story) => story.replaced);
const updated = namesIn((story) => story.updated);

function programOf(when: "before" | "after"): string {
  const resources = Object.fromEntries(stories.map((story) => [story.resource, story[when]]));
  return `
    const sdk = require("pulumi-gpufleet");
    for (const [resource, table] of Object.entries(${JSON.stringify(resources)})) {
      for (const [name, args] of Object.entries(table)) new sdk[resource](name, args);
    }
  `;
}

describe("Resources on the real engine", () => {
  let emulated: EmulatedWorkspace;
  let client: Client;

  beforeAll(async () => {
    emulated = await createEmulatedWorkspace({
      program: programOf("before"),
      // What is missing from the lists a second after it was made is gone.
      env: { GPUFLEET_RECONCILE_SECONDS: "1" },
    });
    client = createClient({ baseUrl: emulated.url, apiKey: "emulator-key" });
  });

  afterAll(async () => {
    await client.close();
    await emulated.dispose();
  });

  /** Ids by kind, of what the state has. */
  const held = async () => {
    const { deployment } = emulated.workspace.exportState();
    return new Map(
      deployment.resources.flatMap(({ urn, type, id = "" }) => {
        const story = stories.find(({ resource }) => type.endsWith(`:${resource}`));
        return story ? [[fullName(story.resource, nameIn(urn)), `${story.kind} ${id}`]] : [];
      }),
    );
  };
  /** The same of what bills, but for the volume that a rental brings along. */
  const billing = () =>
    new Set(
      emulated.emulator
        .state()
        .filter((made) => made.billing && made.label !== "scratch")
        .map(({ kind, id }) => `${kind} ${id}`),
    );
  const expectNothingElse = async () => expect(billing()).toEqual(new Set((await held()).values()));

  test("up makes each of them once", async () => {
    expect(await emulated.workspace.up()).toMatchObject({ code: 0, summary: { created: all.length + 1 } });
    expect([...(await held()).keys()].sort()).toEqual(all);
    await expectNothingElse();
  });

  test("a preview and a refresh find nothing changed", async () => {
    const unchanged = { code: 0, summary: { unchanged: all.length + 1 } };
    expect(await emulated.workspace.preview("--expect-no-changes")).toMatchObject(unchanged);
    expect(await emulated.workspace.refresh("--expect-no-changes")).toMatchObject(unchanged);
  });

  test("replaces what changed for good, and ends the old ones", async () => {
    const old = await held();
    emulated.workspace.writeProgram(programOf("after"));
    const { steps } = await emulated.workspace.previewAsJson();
    const planned = (op: string) =>
      steps
        .filter((step) => step.op === op)
        .map(({ urn }) => fullName(urn.split("::").at(-2)?.split(":").at(-1) ?? "", nameIn(urn)))
        .sort();
    expect(planned("replace")).toEqual(replaced);
    expect(planned("update")).toEqual(updated);
    const run = await emulated.workspace.up();
    expect(run).toMatchObject({ code: 0, summary: { replaced: replaced.length, updated: updated.length } });
    const now = await held();
    expect(all.filter((name) => old.get(name) !== now.get(name))).toEqual(replaced);
    await expectNothingElse();
  });

  test("what was ended behind our back is made again", async () => {
    const old = await held();
    const lost = stories.map(({ resource, before }) => fullName(resource, Object.keys(before)[0] ?? ""));
    for (const [index, story] of stories.entries()) {
      await story.end(
        client,
        old
          .get(lost[index] ?? "")
          ?.split(" ")
          .at(-1) ?? "",
      );
    }
    await emulated.workspace.refresh();
    const left = await held();
    expect(all.filter((name) => !left.has(name))).toEqual([...lost].sort());
    expect(await emulated.workspace.up()).toMatchObject({
      code: 0,
      summary: { created: lost.length, unchanged: all.length + 1 - lost.length },
    });
    const now = await held();
    expect(all.filter((name) => old.get(name) !== now.get(name))).toEqual([...lost].sort());
    await expectNothingElse();
  });

  test("destroy leaves nothing that bills", async () => {
    expect(await emulated.workspace.destroy()).toMatchObject({ code: 0, summary: { deleted: all.length + 1 } });
    expect(emulated.emulator.state().filter((made) => made.billing)).toEqual([]);
    expect(emulated.workspace.exportState().deployment.resources).toEqual([]);
  });
});

function nameIn(urn: string): string {
  return urn.slice(urn.lastIndexOf("::") + 2);
}
