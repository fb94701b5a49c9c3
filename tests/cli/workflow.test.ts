import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { getActionlint } from "../../tools/actionlint/actionlint";
import { root } from "../../tools/bootstrap/paths";
import { describeWith } from "../requirements";

const workflow = join(root, "templates", "github", "gpu-fleet.yml");
const action = join(root, ".github", "actions", "gpufleet");

const workflowFile = z.looseObject({
  on: z.looseObject({ schedule: z.array(z.object({ cron: z.string() })) }),
  jobs: z.record(
    z.string(),
    z.looseObject({ steps: z.array(z.looseObject({ id: z.string().optional(), run: z.string().optional() })) }),
  ),
});
const actionFile = z.looseObject({
  inputs: z.record(z.string(), z.unknown()),
  runs: z.looseObject({ steps: z.array(z.looseObject({ run: z.string() })) }),
});

const readWorkflow = () => workflowFile.parse(parse(readFileSync(workflow, "utf8")));

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
  const { on, jobs } = readWorkflow();
  const steps = Object.values(jobs).flatMap((job) => job.steps);
  const script = steps.find(({ id }) => id === "decide")?.run ?? "";

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
    expect(on.schedule.map(({ cron }) => cron)).toEqual(["17 * * * *", "43 20 * * *"]);
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
    const { inputs, runs } = actionFile.parse(parse(readFileSync(join(action, "action.yml"), "utf8")));
    const passed = JSON.stringify(runs.steps);
    expect(Object.keys(inputs).filter((name) => !passed.includes(`inputs.${name}`))).toEqual([]);
    // What stands in `run:` is run: no expression there, or a branch's name could be a command.
    expect(runs.steps.filter(({ run }) => run.includes("${{"))).toEqual([]);
  });
});
