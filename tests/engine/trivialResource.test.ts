import { Workspace, waitUntil } from "../../tools/workspace";

const NOTE = "pulumi-nodejs:dynamic:Resource";

const program = (text: string) => `
  const pulumi = require("@pulumi/pulumi");

  class Note extends pulumi.dynamic.Resource {
    constructor(name, args) {
      super(
        {
          create: async (inputs) => ({ id: "note-1", outs: { ...inputs, length: inputs.text.length } }),
          read: async (id, props) => ({ id, props }),
          update: async (_id, _olds, news) => ({ outs: { ...news, length: news.text.length } }),
          delete: async () => {},
        },
        name,
        { length: undefined, ...args },
      );
    }
  }

  const note = new Note("note", { text: ${JSON.stringify(text)} });
  exports.id = note.id;
  exports.length = note.length;
  exports.hidden = pulumi.secret("do not show");
`;

describe("A trivial dynamic resource on the real engine", () => {
  let workspace: Workspace;

  beforeAll(async () => {
    workspace = await Workspace.create({ program: program("hello") });
  });

  afterAll(() => workspace.dispose());

  test("is created by up, with its outputs in the stack", async () => {
    const run = await workspace.up();
    expect(run).toMatchObject({ code: 0, summary: { created: 2 } });
    expect(run.output).not.toContain("do not show");
    expect(await workspace.outputs()).toEqual({ id: "note-1", length: 5, hidden: "do not show" });
  });

  test("is unchanged in a preview of the same program", async () => {
    expect(await workspace.preview("--expect-no-changes")).toMatchObject({ code: 0, summary: { unchanged: 2 } });
  });

  test("previews as an update when its input changes, and is updated", async () => {
    workspace.writeProgram(program("hello there"));
    expect((await workspace.previewAsJson()).changeSummary).toEqual({ same: 1, update: 1 });
    expect(await workspace.up()).toMatchObject({ code: 0, summary: { updated: 1, unchanged: 1 } });
    expect(await workspace.outputs()).toMatchObject({ length: 11 });
  });

  test("is unchanged by a refresh", async () => {
    expect(await workspace.refresh()).toMatchObject({ code: 0, summary: { unchanged: 2 } });
  });

  test("is gone from the state after destroy", async () => {
    const before = await workspace.exportState();
    expect(before.deployment.resources.map((resource) => resource.type)).toContain(NOTE);
    expect(await workspace.destroy()).toMatchObject({ code: 0, summary: { deleted: 2 } });
    expect((await workspace.exportState()).deployment.resources).toEqual([]);
  });

  test("leaves no process behind", () =>
    waitUntil("all its processes have ended", () => workspace.processes().length === 0));
});
