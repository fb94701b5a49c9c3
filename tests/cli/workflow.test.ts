import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getActionlint } from "../../tools/actionlint/actionlint";
import { root } from "../../tools/bootstrap/paths";
import { describeWith } from "../requirements";

const workflow = join(root, "templates", "github", "gpu-fleet.yml");
const action = join(root, ".github", "actions", "gpufleet");

describeWith("go", "The GitHub workflow", () => {
  let actionlint: string;
  let repository: string;

  beforeAll(async () => {
    actionlint = await getActionlint();
    // As it lies in a repository that has copied it: actionlint then also holds what it passes to the action against the action.
    repository = mkdtempSync(join(tmpdir(), "gpufleet-workflow-"));
    for (const folder of [".git", ".github/workflows"]) mkdirSync(join(repository, folder), { recursive: true });
    cpSync(action, join(repository, "node_modules/pulumi-gpufleet/.github/actions/gpufleet"), { recursive: true });
  }, 180_000);

  afterAll(() => rmSync(repository, { recursive: true }));

  function lint(change: (text: string) => string) {
    const file = join(repository, ".github/workflows/gpu-fleet.yml");
    writeFileSync(file, change(readFileSync(workflow, "utf8")));
    const { status, stdout } = spawnSync(actionlint, ["-no-color", "-oneline", file], {
      cwd: repository,
      encoding: "utf8",
    });
    return { status, stdout };
  }

  test("passes actionlint", () => {
    expect(lint((text) => text)).toEqual({ status: 0, stdout: "" });
  });

  test("would not pass with a slip in an expression, or with an input that the action does not have", () => {
    expect(lint((text) => text.replace("github.event_name == 'push'", "github.evnt_name == 'push'"))).toMatchObject({
      status: 1,
    });
    expect(lint((text) => text.replace("forbid-data-loss:", "forbid-dataloss:")).stdout).toContain(
      '"forbid-dataloss" is not defined',
    );
  });
});

describe("The workflow's decision", () => {
  /** The script of the step, as the runner gets it. */
  const script = (() => {
    const text = readFileSync(workflow, "utf8");
    const block = /id: decide\n {8}run: \|\n((?: {10}.*\n)+)/.exec(text)?.[1];
    if (!block) throw new Error("the workflow has no step that decides");
    return block.replace(/^ {10}/gm, "");
  })();

  test.each([
    [{ EVENT: "push" }, "up"],
    [{ EVENT: "pull_request" }, "destroy"],
    [{ EVENT: "workflow_dispatch", ASKED: "expired" }, "expired"],
    [{ EVENT: "schedule", SCHEDULE: "17 * * * *" }, "expired"],
    [{ EVENT: "schedule", SCHEDULE: "43 20 * * *" }, "nothing"],
    [{ EVENT: "schedule", SCHEDULE: "43 20 * * *", NIGHTLY: "true" }, "destroy"],
  ])("on %j is %s", (env, expected) => {
    const folder = mkdtempSync(join(tmpdir(), "gpufleet-decide-"));
    const output = join(folder, "output");
    const run = spawnSync("bash", ["-euo", "pipefail", "-c", script], {
      env: { PATH: process.env["PATH"], ASKED: "", SCHEDULE: "", NIGHTLY: "", ...env, GITHUB_OUTPUT: output },
    });
    expect(run.status).toBe(0);
    expect(readFileSync(output, "utf8")).toBe(`do=${expected}\n`);
    rmSync(folder, { recursive: true });
  });

  test("knows both schedules that the workflow has", () => {
    const crons = [...readFileSync(workflow, "utf8").matchAll(/- cron: "(.*)"/g)].map(([, cron]) => cron);
    expect(crons).toEqual(["17 * * * *", "43 20 * * *"]);
    expect(script).toContain('"43 20 * * *"');
  });
});

describe("The action", () => {
  test("does nothing that it does not know", () => {
    const run = spawnSync("bash", [join(action, "run.sh"), "apply"], {
      env: { PATH: process.env["PATH"], ACTION_STACK: "dev" },
      encoding: "utf8",
    });
    expect(run).toMatchObject({ status: 1, stderr: 'do must be preview, up, destroy or expired, not "apply"\n' });
  });

  test("hands every input to its script through the environment", () => {
    const text = readFileSync(join(action, "action.yml"), "utf8");
    const [declared = "", steps = ""] = text.split("\nruns:");
    const inputs = [...declared.matchAll(/^ {2}([\w-]+):$/gm)].map(([, name]) => name);
    expect(inputs.filter((name) => !steps.includes(`inputs.${name}`))).toEqual([]);
    // What stands in `run:` is run: no expression there, or a branch's name could be a command.
    expect(steps.match(/run: .*\$\{\{/g)).toBeNull();
  });
});
