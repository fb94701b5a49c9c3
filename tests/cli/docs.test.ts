import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { parse } from "yaml";
import { z } from "zod";
import { commentCommand } from "../../cli/commands/comment";
import { completionCommand } from "../../cli/commands/completion";
import { costCommand } from "../../cli/commands/cost";
import { doctorCommand } from "../../cli/commands/doctor";
import { expiredCommand } from "../../cli/commands/expired";
import { importCommand } from "../../cli/commands/import";
import { lsCommand } from "../../cli/commands/ls";
import { offersCommand } from "../../cli/commands/offers";
import { orphansCommand } from "../../cli/commands/orphans";
import { pricesCommand } from "../../cli/commands/prices";
import { recoverCommand } from "../../cli/commands/recover";
import { reportCommand } from "../../cli/commands/report";
import { sshCommand } from "../../cli/commands/ssh";
import { sshConfigCommand } from "../../cli/commands/sshConfig";
import { watchCommand } from "../../cli/commands/watch";
import { root } from "../../tools/bootstrap/paths";

const commands: readonly Command[] = [
  commentCommand(),
  completionCommand(),
  costCommand(),
  doctorCommand(),
  expiredCommand(),
  importCommand(),
  lsCommand(),
  offersCommand(),
  orphansCommand(),
  pricesCommand(),
  recoverCommand(),
  reportCommand(),
  sshCommand(),
  sshConfigCommand(),
  watchCommand(),
];

const job = z.looseObject({ script: z.array(z.string()).optional() });
const read = (file: string) => readFileSync(join(root, file), "utf8");

describe.each([
  "docs/machines.md",
  "docs/cost.md",
  "docs/pull-requests.md",
  "docs/gitlab.md",
  "docs/ssh.md",
  ".github/actions/gpufleet/run.sh",
])("What %s tells people to run", (file) => {
  const uses = [...read(file).matchAll(/\bgpufleet ([a-z-]+)((?: [^\n`|)&]*)?)/g)]
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
});

test("The scripts of the GitLab page are such as bash takes", () => {
  const yaml = /```yaml\n([\s\S]*?)```/.exec(read("docs/gitlab.md"))?.[1] ?? "";
  const jobs = Object.values(parse(yaml)).map((one) => job.parse(one));
  const scripts = jobs.flatMap(({ script }) => script ?? []);
  expect(scripts.join("\n")).toContain("gpufleet comment");
  for (const script of scripts) {
    expect(spawnSync("bash", ["-n"], { input: script, encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" });
  }
});
