import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { composeComment } from "../../../../cli/commands/comment/compose";
import { Stack } from "../../../../cli/stack";
import { createEmulator, type Emulator } from "../../../../emulator";
import { createClient } from "../../../../provider/client";
import { estimatedKey, volumeKey } from "../../../../provider/lifecycle";

const prefix = "pulumi-nodejs:dynamic/gpufleet:";
const provider = (name: string) => `urn:pulumi:dev::fleet::pulumi:providers:pulumi-nodejs::${name}::id`;
const machine = { gpuType: "h100", gpuCount: 8, networkType: "infiniband", region: "us-central-1" };

interface Resource {
  type?: string;
  id?: string;
  /** The name of its provider. */
  of?: string;
  inputs?: object;
  outputs?: object;
}

function stateOf({ type = "BareMetalRental", id, of = "default", inputs = machine, outputs = {} }: Resource) {
  return { type: `${prefix}${type}`, custom: true, provider: provider(of), id, inputs, outputs };
}

const urnOf = (name: string, { type = "BareMetalRental" }: Resource) =>
  `urn:pulumi:dev::fleet::${prefix}${type}::${name}`;

function create(name: string, resource: Resource = {}, op = "create") {
  return { op, urn: urnOf(name, resource), newState: stateOf(resource) };
}

function running(name: string, resource: Resource = {}, op = "same") {
  const outputs = { ...machine, status: "Running", costPerHour: 19.92, ...resource.inputs, ...resource.outputs };
  const state = stateOf({ id: "1", ...resource, outputs });
  return { op, urn: urnOf(name, resource), oldState: state, ...(op === "same" && { newState: state }) };
}

const adopting = { inputs: { ...machine, adoptId: "2" } };

describe("A comment", () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "gpufleet-budget-"));
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  async function comment(steps: object[], limit: number | undefined, environment: NodeJS.ProcessEnv = {}) {
    const preview = join(folder, "preview.json");
    const budget = limit === undefined ? {} : { "gpufleet:maxCostPerHour": String(limit) };
    const config = { "gpufleet:prices": '{"h100": 2.49, "storage": 0.0001}', ...budget };
    writeFileSync(preview, JSON.stringify({ config, steps }));
    const compose = async (format: "json" | "markdown") =>
      (await composeComment({ preview, cwd: "/", format }, environment)).text;
    const [text, json] = [await compose("markdown"), JSON.parse(await compose("json"))];
    return { text, json, verdict: json.verdicts[0] };
  }

  describe("where a setting is a secret, which the preview masks", () => {
    const config = { "gpufleet:prices": "[secret]", "gpufleet:maxCostPerHour": "[secret]" };
    const warnings: unknown[] = [];
    let restore: () => void;

    beforeEach(() => {
      writeFileSync(join(folder, "Pulumi.yaml"), "name: fleet\nruntime: nodejs\n");
      writeFileSync(join(folder, "secret.json"), JSON.stringify({ config, steps: [running("one"), create("two")] }));
      const spy = jest.spyOn(console, "error").mockImplementation((text) => void warnings.push(text));
      restore = () => spy.mockRestore();
    });

    afterEach(() => {
      restore();
      jest.restoreAllMocks();
      rmSync(join(folder, "Pulumi.yaml"));
      warnings.splice(0);
    });

    const composed = async (environment: NodeJS.ProcessEnv = {}) => {
      const request = { preview: join(folder, "secret.json"), cwd: folder };
      const { text } = await composeComment({ ...request, format: "markdown" }, environment);
      const json = JSON.parse((await composeComment({ ...request, format: "json" }, environment)).text);
      return { text, json };
    };

    test("reads it from the stack, and does not show a limit that is one", async () => {
      const settings: Record<string, string> = { prices: '{"h100": 5}', maxCostPerHour: "53.21" };
      jest.spyOn(Stack.prototype, "readConfig").mockResolvedValue((key) => settings[key]);
      const { text, json } = await composed();
      // What runs in the same region tells more than the book.
      expect(json.cost.after).toMatchObject({ perHour: 39.84, unknown: 0 });
      expect(json.verdicts).toMatchObject([
        { ok: true, text: "the peak of ≈ $39.84/h is within the budget, which is a secret" },
      ]);
      settings["maxCostPerHour"] = "31.23";
      const over = await composed();
      expect(over.json.verdicts[0]).toMatchObject({
        ok: false,
        text: "the peak of ≈ $39.84/h is more than the budget, which is a secret: the provider will refuse it",
      });
      expect(`${text}${over.text}${JSON.stringify(over.json)}`).not.toMatch(/53\.21|31\.23/);
      expect(warnings).toEqual([]);
    });

    test("says what it could not use where that cannot be read", async () => {
      jest.spyOn(Stack.prototype, "readConfig").mockRejectedValue(new Error("no passphrase"));
      const { json } = await composed({ GPUFLEET_API_KEY: "key" });
      expect(json.verdicts).toMatchObject([
        {
          ok: false,
          text: "gpufleet:maxCostPerHour is a secret that cannot be read here, so the budget cannot be checked",
        },
      ]);
      expect(warnings).toEqual(
        expect.arrayContaining([
          "gpufleet comment: warning: the configuration of the stack is not used, because it cannot be read: no passphrase",
          "gpufleet comment: warning: the price book is not used: gpufleet:prices is a secret, and the configuration of the stack cannot be read here",
        ]),
      );
    });
  });

  test("prices what a new provider rents by the book of the stack", async () => {
    const complained = jest.spyOn(console, "error").mockImplementation(() => undefined);
    const { json } = await comment([create("one", { of: "new" })], undefined);
    complained.mockRestore();
    expect(json.cost).toMatchObject({ after: { perHour: 19.92, unknown: 0 }, estimated: true });
  });

  describe("on the stack's budget says that the provider will refuse", () => {
    const silenced = () => jest.spyOn(console, "error").mockImplementation(() => undefined);

    test("what is rented beyond it", async () => {
      const { verdict } = await comment([running("one"), create("two")], 30);
      expect(verdict).toMatchObject({
        ok: false,
        text: expect.stringMatching(/\$39\.84.*: the provider will refuse it$/),
      });
    });

    test("by today's book, whatever the book said when the state was written", async () => {
      const vm = { type: "VmRental", outputs: { costPerHour: 8, [estimatedKey]: true } };
      const { json, verdict } = await comment([running("one", vm), create("two", { type: "VmRental" })], 30);
      expect(verdict.ok).toBe(false);
      expect(json.cost).toMatchObject({ after: { perHour: 39.84 }, estimated: true });
    });

    test("nothing that is adopted", async () => {
      const { verdict } = await comment([running("one"), create("two", adopting)], 30);
      expect(verdict).toMatchObject({ ok: true, text: "nothing new is rented" });
      const imported = await comment([running("one"), create("two", { id: "2" }, "import")], 30);
      expect(imported.verdict).toMatchObject({ ok: true });
    });

    test("what is rented beside what is adopted only where the order does not matter", async () => {
      const steps = [running("one"), create("two", adopting), create("three")];
      expect((await comment(steps, 50)).verdict).toMatchObject({
        ok: false,
        text: "the peak of ≈ $59.76/h is more than $50.00/h: the provider may refuse it",
      });
      expect((await comment(steps, 30)).verdict.text).toMatch(/the provider will refuse it$/);
    });

    test("nothing that an explicit provider rents, nor what is rented beside that", async () => {
      const warn = silenced();
      try {
        const beside = await comment([running("one", { of: "partner" }), create("two")], 30);
        expect(beside.verdict).toMatchObject({ ok: true, text: "the peak of ≈ $19.92/h is within $30.00/h" });
        const theirs = await comment([running("one"), create("two", { of: "partner" })], 30);
        expect(theirs.verdict).toMatchObject({ ok: true, text: "nothing new is rented" });
        expect(theirs.json.cost).toMatchObject({ peakPerHour: 39.84, peakUnknown: 0 });
      } finally {
        warn.mockRestore();
      }
    });

    test.each([
      ["delete-first", true],
      [{ batch: 1 }, true],
      ["create-first", false],
    ])("no replacement of a fleet with replacement %j that runs alone", async (replacement, ok) => {
      const inputs = { ...machine, __fleet: { count: 1, regions: ["us-central-1"], replacement } };
      const step = { ...running("pool-0", { inputs }, "replace"), newState: stateOf({ inputs }) };
      const { verdict, json, text } = await comment([step], 30);
      expect(verdict.ok).toBe(ok);
      expect(json.cost.peakPerHour).toBe(ok ? 19.92 : 39.84);
      expect(text.includes("old and new run at the same time")).toBe(!ok);
    });
  });

  test.each([
    { what: "has ended", status: "Terminated", id: "1" },
    { what: "is ending", status: "Terminating", id: "1" },
    { what: "may never have been created", status: "Running", id: "unresolved:by-hand" },
  ])("counts no machine beside its replacement that $what, but its volume", async ({ status, id }) => {
    const inputs = { ...machine, storageVolume: { isNew: true, label: "scratch", sizeInGb: 64_000 } };
    const replacing = (outputs: object) => ({
      ...running("one", { id, inputs, outputs: { status, ...outputs } }, "replace"),
      newState: stateOf({ inputs }),
    });
    const { json } = await comment([replacing({ [volumeKey]: { id: "3001" } })], 30);
    expect(json.cost.peakPerHour).toBeCloseTo(19.92 + 2 * 6.4);
  });

  describe("on what is taken over", () => {
    let emulator: Emulator;
    let environment: NodeJS.ProcessEnv;
    let id: string;

    beforeAll(async () => {
      const now = Date.UTC(2026, 0, 1);
      emulator = createEmulator({ balance: 1000, ssh: false, provisionSeconds: 0, clock: { now: () => now } });
      const { url } = await emulator.listen();
      environment = { GPUFLEET_BASE_URL: url, GPUFLEET_API_KEY: "emulator-key" };
      const client = createClient({ baseUrl: url, apiKey: "emulator-key" });
      id = String((await client.createBareMetalRental({ gpuCount: 8, networkType: "infiniband", gpuType: "h100" })).id);
      await client.close();
    });

    afterAll(() => emulator.close());

    const asBefore = "**Balance** $1,000.00: lasts 50 h (2.1 days) at $19.92/h for the whole account after this change";

    test.each([
      ["adoptId", () => create("taken", { inputs: { ...machine, adoptId: id } })],
      ["an adoptId that is a secret", () => create("taken", { inputs: { ...machine, adoptId: "[secret]" } })],
      ["an import", () => create("taken", { id }, "import")],
    ])("by %s has the balance last as long as before", async (_, step) => {
      const { text, json } = await comment([step()], undefined, environment);
      expect(text).toContain(asBefore.slice(0, asBefore.indexOf(" at ")));
      expect(json.cost.after.perHour).toBe(19.92);
    });

    test("knows its price from the account", async () => {
      const { text, json } = await comment([create("taken", { inputs: { ...machine, adoptId: id } })], 1, environment);
      expect(text).toContain(asBefore);
      expect(json.cost.estimated).toBe(false);
    });

    test("counts what is not listed, because nothing else does", async () => {
      const { text } = await comment([create("taken", adopting)], undefined, environment);
      expect(text).toContain("lasts 25 h");
    });

    test("from another resource of the stack says that nothing ends, and that it costs the same", async () => {
      const steps = [running("old", { id }, "delete"), create("renamed", { inputs: { ...machine, adoptId: id } })];
      const { text, json } = await comment(steps, 20, environment);
      expect(text).toContain(asBefore);
      expect(json.warnings).toEqual([]);
      expect(json.cost).toMatchObject({ change: { kind: "known", perHour: 0 }, peakPerHour: 19.92 });
    });

    test("counts the volume of a rental once, before and after a StorageVolume has adopted it", async () => {
      const storageVolume = { isNew: true, label: "scratch", sizeInGb: 2560 };
      const inputs = { ...machine, storageVolume, keepVolume: true };
      const attachedStorage = [{ id: 7, sizeInGb: 2560, costPerHour: 0.256 }];
      const outputs = { attachedStorage, [volumeKey]: { id: "7" } };
      const node = (op?: string) => running("node", { inputs, outputs }, op);
      const data = { type: "StorageVolume", inputs: { region: "us-central-1", sizeInGb: 2560, adoptId: "7" } };
      const adoption = (await comment([node(), create("data", data)], undefined)).json;
      expect(adoption.cost).toMatchObject({ before: { perHour: 20.176 }, after: { perHour: 20.176 } });
      const held = running("data", { ...data, id: "7", outputs: { costPerHour: 0.256 } });
      const later = (await comment([node("delete"), held], undefined)).json;
      expect(later.cost).toMatchObject({ before: { perHour: 20.176 }, after: { perHour: 0.256 } });
      expect(later.warnings).toMatchObject([{ kind: "terminated-machine" }]);
    });
  });
});
