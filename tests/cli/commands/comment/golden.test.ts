import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { commentOn, goldenFolder } from "../../../golden/makeGolden";
import { scenarios } from "../../../golden/scenarios";

/** GitHub's limit. */
const longest = 65_536;

describe.each(scenarios.map((scenario) => ({ title: scenario.name, scenario })))(
  "The comment on $title",
  ({ scenario }) => {
    const folder = join(goldenFolder, scenario.name);
    const read = (name: string) => readFileSync(join(folder, name), "utf8");

    test("is the golden one, in both formats", async () => {
      const { markdown, json } = await commentOn(scenario);
      expect(markdown).toBe(read("comment.md"));
      if (existsSync(join(folder, "comment.json"))) expect(json).toBe(read("comment.json"));
    });

    test("begins with its marker, is short enough, and names no address, label, id or secret", () => {
      const comment = read("comment.md");
      expect(comment).toMatch(/^<!-- gpufleet-comment golden\/test -->\n/);
      expect(Buffer.byteLength(comment)).toBeLessThan(longest);
      expect(comment).not.toMatch(
        /127\.0\.0\.1|10\.\d+\.\d+\.\d+|ubuntu@|ssh |hunter2|top-secret|\/home\/dev|-aaaaaa\b/,
      );
      expect(comment).not.toMatch(/\b10[01]\d\b/);
    });
  },
);

test("Every golden folder belongs to a scenario", () => {
  const folders = readdirSync(goldenFolder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name).sort()).toEqual(scenarios.map(({ name }) => name).sort());
});
