import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fitTogether, longestComment } from "../../../../cli/commands/comment/fit";
import { writeMarkdown } from "../../../../cli/commands/comment/markdown";
import { PriceBook } from "../../../../cli/money/priceBook";
import { billChanges } from "../../../../cli/preview/billing";
import { changesOf } from "../../../../cli/preview/changes";
import { type Preview, parsePreview, type StepState } from "../../../../cli/preview/readPreview";
import { summarize } from "../../../../cli/preview/summary";
import { goldenFolder } from "../../../golden/makeGolden";

const golden = (name: string) => parsePreview(readFileSync(join(goldenFolder, name, "preview.json"), "utf8"), name);

async function comment(preview: Preview): Promise<string> {
  const changes = await billChanges(changesOf(preview), new PriceBook());
  return writeMarkdown(summarize({ preview, changes }), []);
}

/** Each step several times under other names, and of other sizes, so that no two can be told in one row. */
function multiply(preview: Preview, times: number): Preview {
  const steps = (preview.steps ?? []).flatMap((step) =>
    step.urn.includes("pulumi:pulumi:Stack")
      ? [step]
      : Array.from({ length: times }, (_, index) => ({
          ...step,
          urn: `${step.urn}-${"long-name-".repeat(5)}${index}`,
          ...(step.newState && { newState: sized(step.newState, index) }),
        })),
  );
  return { ...preview, steps };
}

function sized(state: StepState, index: number): StepState {
  const { sizeInGb } = state.inputs;
  return sizeInGb === undefined ? state : { ...state, inputs: { ...state.inputs, sizeInGb: 256 * (index + 20) } };
}

describe("A comment that would be too long", () => {
  test("keeps every warning of lost data and leaves out changes, and says how many", async () => {
    const text = await comment(multiply(golden("volume-loss"), 400));
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(longestComment);
    expect(text.match(/its contents are lost/g)).toHaveLength(400);
    expect(text).toMatch(/^\| … and \d+ more, left out to keep the comment short enough \| \| \|\n\n<\/details>$/m);
    const [, left = ""] = /… and ([\d,]+) more, left out/.exec(text) ?? [];
    // All that is replaced, in the rows that are shown and in those that are not.
    const shown = text.match(/^\| ♻️ replace storage volume /gm)?.length ?? 0;
    expect(shown + Number(left.replace(",", ""))).toBe(800);
  });

  test("says how many warnings there are besides where even they do not fit", async () => {
    const text = await comment(multiply(golden("volume-loss"), 800));
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(longestComment);
    const shown = text.match(/its contents are lost/g)?.length ?? 0;
    expect(text).toContain(`> - … and ${800 - shown} more\n`);
    expect(text).toContain("| per hour |");
  });

  test("is short enough for five thousand resources of different sizes, and says what it leaves out", async () => {
    const text = await comment(multiply(golden("create"), 750));
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(longestComment);
    expect(text).toMatch(/^\| … and [\d,]+ more, left out to keep the comment short enough \| \| \|$/m);
    expect(text).toContain("<b>Changes</b>: 5,250 created");
  });

  test("is short enough for any number of fleets, and says how many there are besides", async () => {
    const preview = golden("fleet-up");
    const fleets = Array.from({ length: 300 }, (_, index) =>
      (preview.steps ?? []).map((step) => ({
        ...step,
        urn: step.urn.replace("::fleet", `::${"long".repeat(20)}${index}`),
      })),
    );
    const text = await comment({ ...preview, steps: fleets.flat() });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(longestComment);
    expect(text.match(/<b>Fleet /g)).toHaveLength(50);
    expect(text).toContain("\n… and 250 more fleets\n");
  });

  test("is whole where it just fits", () => {
    const items = ["- one", "- two"];
    const more = (count: number) => `${count} more`;
    expect(fitTogether([{ lines: ["title"], items, more }], 18)).toBe("title\n- one\n- two\n");
    expect(fitTogether([{ lines: ["title"], items, more }], 17)).toBe("title\n1 more\n".replace("1", "2"));
  });
});

describe("The order of a comment", () => {
  test("does not depend on the order of the steps", async () => {
    const preview = golden("delete-everything");
    const [stack, ...others] = preview.steps ?? [];
    const turned = { ...preview, steps: [...(stack ? [stack] : []), ...others.reverse()] };
    expect(await comment(turned)).toBe(await comment(preview));
  });
});
