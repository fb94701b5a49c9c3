import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { commentCommand } from "../../cli/comment";
import { completionCommand } from "../../cli/completion";
import { costCommand } from "../../cli/cost";
import { doctorCommand } from "../../cli/doctor";
import { expiredCommand } from "../../cli/expired";
import { orphansCommand } from "../../cli/orphans";
import { recoverCommand } from "../../cli/recover";
import { reportCommand } from "../../cli/report";
import { root } from "../../tools/bootstrap/paths";

const commands: readonly Command[] = [
  commentCommand(),
  completionCommand(),
  costCommand(),
  doctorCommand(),
  expiredCommand(),
  orphansCommand(),
  recoverCommand(),
  reportCommand(),
];

const read = (file: string) => readFileSync(join(root, file), "utf8");

describe.each(["docs/cost.md", "docs/pull-requests.md", "docs/gitlab.md", ".github/actions/gpufleet/run.sh"])(
  "What %s tells people to run",
  (file) => {
    const uses = [...read(file).matchAll(/\bgpufleet ([a-z]+)((?: [^\n`|)&]*)?)/g)]
      .map(([, name = "", rest = ""]) => ({ name, rest }))
      .filter(({ name, rest }) => rest.includes("--") || commands.some((command) => command.name() === name));

    test("are commands and options that there are", () => {
      const wrong = uses.flatMap(({ name, rest }) => {
        const command = commands.find((one) => one.name() === name);
        const options = [...rest.matchAll(/(?<= )--[a-z-]+/g)].map(([option]) => option);
        return options
          .filter((option) => !command?.options.some(({ long }) => long === option))
          .map((option) => `gpufleet ${name} ${option}`);
      });
      expect(uses.length).toBeGreaterThan(0);
      expect(wrong).toEqual([]);
    });
  },
);

test("The scripts of the GitLab page are such as bash takes", () => {
  const yaml = /```yaml\n([\s\S]*?)```/.exec(read("docs/gitlab.md"))?.[1] ?? "";
  const [script = ""] = /(?<=- \|\n)(?: {6}.*\n)+/.exec(yaml) ?? [];
  expect(script).toContain("gpufleet comment");
  expect(spawnSync("bash", ["-n"], { input: script.replace(/^ {6}/gm, ""), encoding: "utf8" })).toMatchObject({
    status: 0,
    stderr: "",
  });
});
