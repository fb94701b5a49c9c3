import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getActionlint } from "../../../tools/actionlint/actionlint";
import { describeWith } from "../../requirements";
import { actionFolder, workflowFolder, workflows } from "./files";

describeWith("go", "The GitHub workflows", () => {
  let actionlint: string;
  let repository: string;

  beforeAll(async () => {
    actionlint = await getActionlint();
    // As they lie in a repository that has copied them: actionlint then also holds what they pass to the action, and to each
    // other, against what those take.
    repository = mkdtempSync(join(tmpdir(), "gpufleet-workflow-"));
    mkdirSync(join(repository, ".git"));
    cpSync(actionFolder, join(repository, ".gpu-fleet-action"), { recursive: true });
    // Go is slow to build, on a busy machine most of all.
  }, 600_000);

  afterAll(() => rmSync(repository, { recursive: true, force: true }));

  /** What actionlint says of all workflows, with a change in one of them. */
  function lint(name = "", change = (text: string) => text) {
    const folder = join(repository, ".github", "workflows");
    cpSync(workflowFolder, folder, { recursive: true });
    if (name) {
      const file = join(folder, `${name}.yml`);
      const text = readFileSync(file, "utf8");
      expect(change(text)).not.toBe(text);
      writeFileSync(file, change(text));
    }
    const files = [...workflows.keys()].map((one) => join(folder, `${one}.yml`));
    const { status, stdout } = spawnSync(actionlint, ["-no-color", "-oneline", ...files], {
      cwd: repository,
      encoding: "utf8",
    });
    return { status, stdout };
  }

  test("pass actionlint", () => {
    expect(lint()).toEqual({ status: 0, stdout: "" });
  });

  test.each<[string, string, string, string, string]>([
    ["a slip in an expression", "gpu-fleet-destroy", "github.event_name", "github.evnt_name", 'property "evnt_name"'],
    [
      "an input that the action does not have",
      "gpu-fleet-run",
      " prices:",
      " price-book:",
      '"price-book" is not defined',
    ],
    [
      "an input that the called workflow does not have",
      "gpu-fleet-up",
      "do: up",
      "doing: up",
      '"doing" is not defined',
    ],
    ["a schedule that is none", "gpu-fleet-watch", "17 * * * *", "17 * * *", "invalid CRON format"],
  ])("would not pass with %s", (_, name, from, to, message) => {
    const { status, stdout } = lint(name, (text) => text.replace(from, to));
    expect(status).toBe(1);
    expect(stdout).toContain(message);
  });
});
