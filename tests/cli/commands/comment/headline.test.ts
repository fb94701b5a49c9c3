import { readFileSync } from "node:fs";
import { join } from "node:path";
import { headlineOf } from "../../../../cli/commands/comment/headline";
import { writeJson } from "../../../../cli/commands/comment/json";
import { writeMarkdown } from "../../../../cli/commands/comment/markdown";
import { settingIn } from "../../../../cli/commands/comment/surroundings";
import { judge, judgeBudget, type Rules } from "../../../../cli/commands/comment/verdicts";
import { PriceBook } from "../../../../cli/money";
import { billChanges, changesOf, inPlainText, parsePreview, summarize } from "../../../../cli/preview";
import { raiseTheLimit } from "../../../../provider/shared/money";
import { readPrices } from "../../../../provider/shared/prices";
import { goldenFolder } from "../../../golden/makeGolden";
import { scenarios } from "../../../golden/scenarios";

type Op = "create" | "replace" | "delete" | "same";
interface Machine {
  gpuType: string;
  costPerHour?: number;
  region?: string;
}

/** A step of a preview for a machine of eight GPUs. */
function step(
  name: string,
  op: Op,
  { type = "BareMetalRental", before, after }: { type?: string; before?: Machine; after?: Machine },
) {
  const fullType = `pulumi-nodejs:dynamic/gpufleet:${type}`;
  const inputs = ({ costPerHour, ...machine }: Machine) => ({ region: "us-central-1", gpuCount: 8, ...machine });
  return {
    op,
    urn: `urn:pulumi:dev::fleet::${fullType}::${name}`,
    ...(before && {
      oldState: {
        type: fullType,
        id: name,
        inputs: inputs(before),
        outputs: { ...inputs(before), ...before, status: "Running" },
      },
    }),
    ...(after && { newState: { type: fullType, inputs: inputs(after) } }),
  };
}

async function verdictOn(
  steps: object[],
  {
    rules = {},
    config = {},
    prices = "{}",
    more = {},
  }: { rules?: Rules; config?: Record<string, string>; prices?: string; more?: object } = {},
) {
  const preview = parsePreview(JSON.stringify({ steps, config, ...more }), "test");
  const changes = await billChanges(changesOf(preview), new PriceBook(readPrices(prices)));
  const summary = summarize({ preview, changes });
  const budget = judgeBudget(changes, summary, settingIn(preview, undefined, "maxCostPerHour"));
  const verdicts = [...judge(summary, rules), ...(budget ? [budget] : [])];
  const { kind, mark, say } = headlineOf(summary, verdicts);
  return {
    kind,
    text: [mark, say(inPlainText)].filter(Boolean).join(" "),
    markdown: writeMarkdown(summary, verdicts),
    json: JSON.parse(writeJson(summary, verdicts)),
  };
}

const h100 = { gpuType: "h100", costPerHour: 19.92 };
const h200 = { gpuType: "h200" };
const eight = (make: (name: string) => object) => Array.from({ length: 8 }, (_, index) => make(`node-${index}`));

describe("The first sentence of a comment", () => {
  test("gives no figure, and so no saving, where priced machines give way to unpriced ones", async () => {
    const { kind, text, markdown, json } = await verdictOn(
      eight((name) => step(name, "replace", { before: h100, after: h200 })),
    );
    expect({ kind, text }).toEqual({
      kind: "unknown-cost",
      text: "❔ Cost unknown: 64 h200 instead of 64 h100 in us-central-1",
    });
    expect(markdown).toContain("| per hour | $159.36 | unknown | unknown |");
    expect(markdown).not.toMatch(/[−-]\$|\*\*[^*\n]*\$/);
    expect(json.cost).toMatchObject({
      change: { kind: "unknown", unknown: 8, of: 8 },
      delta: { perHour: null, perDay: null, perMonth: null },
      after: { perHour: null, unknown: 8 },
    });
  });

  test("gives the figure with the price book, marked as an estimate", async () => {
    const steps = eight((name) => step(name, "replace", { before: h100, after: h200 }));
    const { text, json } = await verdictOn(steps, { prices: '{"h200": 3.5}' });
    expect(text).toBe("≈ +$64.64/h (+$47,187/month): 64 h200 instead of 64 h100 in us-central-1");
    expect(json.cost.change).toEqual({ kind: "known", perHour: 64.64, estimated: true });
  });

  test("gives no figure for a part of what is new", async () => {
    const steps = [
      step("old", "same", { before: h100, after: h100 }),
      step("a", "create", { after: h100 }),
      step("b", "create", { after: h200 }),
    ];
    expect((await verdictOn(steps)).text).toBe(
      "❔ Cost unknown (1 of 2 prices missing): 8 more h100 in us-central-1, 8 more h200 in us-central-1",
    );
  });

  test("gives the bound where only prices of what ends are unknown", async () => {
    const unpriced = step("vm", "delete", { type: "VmRental", before: h200 });
    expect((await verdictOn([unpriced, step("a", "delete", { before: h100 })])).text).toBe(
      "Saves at least $19.92/h ($14,542/month): 8 fewer h100 in us-central-1, 8 fewer h200 in us-central-1",
    );
    expect((await verdictOn([unpriced])).text).toBe("Saves an unknown amount: 8 fewer h200 in us-central-1");
    const priced = step("a", "create", { after: { gpuType: "h100" } });
    expect((await verdictOn([unpriced, priced], { prices: '{"h100": 2.5}' })).text).toBe(
      "At most ≈ +$20/h (+$14,600/month): 8 h100 instead of 8 h200 in us-central-1",
    );
  });

  test("knows that an equal machine costs as much as the one it replaces, whatever that is", async () => {
    const vm = step("vm", "replace", { type: "VmRental", before: h200, after: h200 });
    expect((await verdictOn([vm])).text).toBe("✅ No change in cost: 1 replaced");
    const { text, json } = await verdictOn([vm, step("a", "delete", { before: h100 })]);
    expect(text).toBe("−$19.92/h (−$14,542/month): 8 fewer h100 in us-central-1");
    expect(json.cost.delta).toMatchObject({ perHour: -19.92, unknown: 0 });
  });

  test("says where machines move to, and counts regions where there are many", async () => {
    const moved = step("a", "replace", { before: h100, after: { gpuType: "h100", region: "eu-west-3" } });
    expect((await verdictOn([moved])).text).toBe(
      "✅ No change in cost: 8 h100 in eu-west-3 instead of 8 h100 in us-central-1",
    );
    const everywhere = ["us-central-1", "us-east-1", "eu-west-3", "eu-north-1"].map((region) =>
      step(region, "create", { after: { gpuType: "h100", region } }),
    );
    expect((await verdictOn(everywhere)).text).toBe("❔ Cost unknown: 32 more h100 in 4 regions");
  });

  test("names every limit that is broken", async () => {
    const steps = [step("a", "replace", { before: h100, after: h100 }), step("b", "create", { after: h100 })];
    const { kind, text, markdown } = await verdictOn(steps, {
      rules: { maxCostPerHour: 20 },
      config: { "gpufleet:maxCostPerHour": "50" },
    });
    expect({ kind, text }).toEqual({
      kind: "refused",
      text: "❌ Over the limit: ≈ $39.84/h of $20/h; over the stack's budget: a peak of ≈ $59.76/h of $50/h",
    });
    expect(markdown.split("\n")[4]).toBe("");
    expect(markdown.split("\n")[5]).toBe("≈ +$19.92/h (+$14,542/month): 8 more h100 in us-central-1.");
  });

  test("says of a refusal over money that it is one, and of every other failure that nothing is certain", async () => {
    const config = { "gpufleet:maxCostPerHour": "60" };
    const refusal = { severity: "error", message: `it would cost too much. ${raiseTheLimit}` };
    const other = { severity: "error", message: "no such region" };
    const failing = (...diagnostics: object[]) => verdictOn([], { config, more: { diagnostics } });
    const refused = await failing(refusal);
    expect([refused.kind, refused.text]).toEqual([
      "refused",
      "❌ Over a cost limit, and refused by the provider: what else it changes is unknown",
    ]);
    expect(refused.markdown).toContain("❌ Stack budget: the provider refuses what it would cost");
    for (const failed of [await failing(other), await failing(other, refusal)]) {
      expect([failed.kind, failed.text]).toEqual(["failed", "❌ The preview failed: cost and data loss are unknown"]);
      expect(failed.markdown).toContain("❌ Stack budget: ");
    }
  });

  test("says that a budget cannot be compared with prices that nobody knows", async () => {
    const { text, markdown, json } = await verdictOn([step("a", "create", { after: h200 })], {
      config: { "gpufleet:maxCostPerHour": "50" },
    });
    expect(text).toBe("❔ Cost unknown: 8 more h200 in us-central-1");
    expect(markdown).toContain("- ⚠️ Stack budget: no price is known, so it may be more than $50.00/h\n");
    expect(json.cost).toMatchObject({ peakPerHour: null, peakUnknown: 1 });
  });

  test("shows limit and cost with as many digits as tell them apart", async () => {
    const { text } = await verdictOn([step("a", "create", { after: h100 })], {
      rules: { maxCostPerHour: 20 },
      prices: '{"h100": 2.5001}',
    });
    expect(text).toBe("❌ Over the limit: ≈ $20.0008/h of $20/h");
  });

  test("takes neither the stack nor explicit providers for resources that are not shown", async () => {
    const same = (type: string) => ({ op: "same", urn: `urn:pulumi:dev::fleet::${type}::x`, newState: { type } });
    const steps = [
      same("pulumi:pulumi:Stack"),
      same("pulumi:providers:pulumi-nodejs"),
      step("a", "same", { before: h100, after: h100 }),
    ];
    expect((await verdictOn(steps, { more: { changeSummary: { same: 3 } } })).text).toBe("✅ No changes");
  });

  test("says that the total is unknown where the preview does not show everything", async () => {
    const steps = [step("a", "delete", { before: h100 })];
    const { text } = await verdictOn(steps, { more: { changeSummary: { same: 3, delete: 1 } } });
    expect(text).toBe(
      "−$19.92/h (−$14,542/month): 8 fewer h100 in us-central-1; the total is unknown, as the preview does not show 3 unchanged resources",
    );
  });
});

describe("Every golden comment", () => {
  test.each(scenarios.map(({ name }) => name))(
    "leads with its verdict and shows no bold figure that is none: %s",
    (name) => {
      const text = readFileSync(join(goldenFolder, name, "comment.md"), "utf8");
      const [, headline = "", empty, origin] = text.split("\n");
      expect(headline).toMatch(/^### (❌ |⚠️ |❔ |✅ )?\S/);
      expect([empty, origin]).toEqual(["", "<sub>GPU fleet `golden/test`</sub>"]);
      expect(text).not.toMatch(/\*\*[^*\n]*\$[^*\n]*unknown[^*\n]*\*\*/);
    },
  );

  test.each(["five-hundred", "first-fleet"])("is short where a fleet is large: %s", (name) => {
    expect(readFileSync(join(goldenFolder, name, "comment.md"), "utf8").length).toBeLessThan(2000);
  });
});
