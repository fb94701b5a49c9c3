import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { actionFolder, readAction, scriptWith } from "./files";

/** The scripts of the workflows and of the action, with the programs that they call played by a few lines of shell. */
describe("The script", () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "gpufleet-scripts-"));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  /** Puts a program on the PATH that notes how it was called and then does this. */
  function playProgram(name: string, does = "") {
    const file = join(folder, name);
    writeFileSync(file, `#!/bin/bash\nprintf '%s\\n' "${name} $*" >>"${folder}/calls"\n${does}\n`);
    chmodSync(file, 0o755);
  }

  function bash(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    const { status, stdout, stderr } = spawnSync("bash", args, {
      cwd: folder,
      env: { PATH: `${folder}:${process.env["PATH"]}`, GITHUB_REPOSITORY: "team/infra", RUNNER_TEMP: folder, ...env },
      encoding: "utf8",
    });
    const calls = join(folder, "calls");
    const called = existsSync(calls) ? readFileSync(calls, "utf8").trim().split("\n") : [];
    return { status, stdout, stderr, called };
  }

  const runScript = (script: string, env: NodeJS.ProcessEnv) => bash(["-e", "-o", "pipefail", "-c", script], env);
  const runAction = (what: string, env: NodeJS.ProcessEnv = {}) =>
    bash([join(actionFolder, "run.sh"), what], { ACTION_STACK: "dev", ACTION_POLL_SECONDS: "0", ...env });

  describe("that refuses to run without secrets", () => {
    const script = scriptWith("gpu-fleet-run", "HEAD_REPOSITORY");

    test.each<[string, NodeJS.ProcessEnv, string]>([
      [
        "a fork",
        { EVENT: "pull_request", HEAD_REPOSITORY: "stranger/infra" },
        "A pull request from a fork gets no secrets. Someone who can push to this repository has to review its commits, push them to a branch here and open a pull request.",
      ],
      ["a fork that is deleted", { EVENT: "pull_request" }, "A pull request from a fork gets no secrets."],
      [
        "Dependabot",
        { EVENT: "pull_request", HEAD_REPOSITORY: "team/infra", ACTOR: "dependabot[bot]" },
        "Dependabot's runs get only the secrets of Dependabot. Add GPUFLEET_API_KEY and those of Pulumi there, too (Settings, Secrets and variables, Dependabot).",
      ],
      [
        "anybody",
        { EVENT: "push" },
        "The secrets are missing: set GPUFLEET_API_KEY, and PULUMI_ACCESS_TOKEN or PULUMI_CONFIG_PASSPHRASE.",
      ],
    ])("fails and says why to %s", (_, env, reason) => {
      const { status, stdout } = runScript(script, env);
      expect(status).toBe(1);
      expect(stdout).toContain(`::error title=GPU fleet::${reason}`);
    });
  });

  test("that reads the labels fails where they cannot be read", () => {
    playProgram("gh", "exit 1");
    const output = join(folder, "output");
    const { status } = runScript(scriptWith("gpu-fleet-run", "$NUMBER/labels"), { NUMBER: "7", GITHUB_OUTPUT: output });
    expect(status).toBe(1);
    expect(existsSync(output)).toBe(false);
  });

  describe("that installs the dependencies", () => {
    const script = scriptWith("gpu-fleet-run", "--frozen-lockfile");

    test.each([
      ["npm", "1", ["npm ci"]],
      ["pnpm", "1", ["corepack enable pnpm", "pnpm install --frozen-lockfile"]],
      ["yarn", "1.22.22", ["corepack enable yarn", "yarn --version", "yarn install --frozen-lockfile"]],
      ["yarn", "4.5.0", ["corepack enable yarn", "yarn --version", "yarn install --immutable"]],
      ["bun", "1", ["npm install --global bun@1", "bun install --frozen-lockfile"]],
    ])("uses %s %s, and the lock file as it is", (manager, version, expected) => {
      for (const name of ["npm", "pnpm", "bun", "corepack"]) playProgram(name);
      playProgram("yarn", `[ "$1" != --version ] || echo ${version}`);
      const { status, called } = runScript(script, { PACKAGE_MANAGER: manager });
      expect({ status, called }).toEqual({ status: 0, called: expected });
    });

    test("knows no other", () => {
      const { status, stdout } = runScript(script, { PACKAGE_MANAGER: "cargo" });
      expect(status).toBe(1);
      expect(stdout).toContain("GPU_FLEET_PACKAGE_MANAGER must be npm, pnpm, yarn or bun, not cargo");
    });
  });

  describe("that keeps the schedules on", () => {
    const script = scriptWith("gpu-fleet-schedules", "disabled_inactivity");
    const enable = (file: string) => `gh api --method PUT repos/team/infra/actions/workflows/${file}/enable`;

    test.each([
      ["active", [enable("gpu-fleet-watch.yml"), enable("gpu-fleet-destroy.yml")], ""],
      [
        "disabled_inactivity",
        [enable("gpu-fleet-watch.yml"), enable("gpu-fleet-destroy.yml")],
        "The schedule of gpu-fleet-watch.yml had been switched off for want of activity. It is on again.",
      ],
      ["disabled_manually", [], "The schedule of gpu-fleet-watch.yml is switched off."],
    ])("finds it %s", (state, expected, said) => {
      playProgram("gh", `[ "$2" = --method ] || echo ${state}`);
      const { status, stdout, called } = runScript(script, {});
      expect(status).toBe(0);
      expect(called.filter((call) => call.includes("PUT"))).toEqual(expected);
      expect(stdout).toContain(said);
    });

    test("does without a workflow that was not copied", () => {
      playProgram("gh", "exit 1");
      const { status, called } = runScript(script, {});
      expect(status).toBe(0);
      expect(called.filter((call) => call.includes("PUT"))).toEqual([]);
    });
  });

  describe("of the action", () => {
    test("does nothing that it does not know", () => {
      expect(runAction("apply")).toMatchObject({
        status: 1,
        stderr: 'do must be preview, up, destroy, expired or watch, not "apply"\n',
      });
    });

    test("waits while another run works on the stack, and then does everything", () => {
      const fails = (times: number, text: string) =>
        `n=$(grep -c "^$(basename "$0") $1 $2" "${folder}/calls"); if [ "$n" -le ${times} ]; then echo "error: ${text}" >&2; exit 255; fi`;
      playProgram("npx", fails(2, "the stack is locked by ci@runner (pid 7) since now, on another machine"));
      playProgram(
        "pulumi",
        `[ "$1" = stack ] || { ${fails(1, "[409] Conflict: Another update is currently in progress.")}; echo up; }`,
      );
      const { status, stdout, called } = runAction("up");
      expect(stdout).toBe("up\n");
      expect(status).toBe(0);
      const recover = "npx --no-install gpufleet recover --stack dev";
      const up = "pulumi up --yes --non-interactive --skip-preview --stack dev";
      expect(called).toEqual([
        "pulumi stack --stack dev --show-name --non-interactive",
        recover,
        recover,
        recover,
        up,
        up,
      ]);
    });

    test("waits once for all that it does, and not anew for each part", () => {
      playProgram("npx", "sleep 2");
      playProgram("pulumi", '[ "$1" = stack ] || { echo "error: the stack is locked by ci@runner" >&2; exit 255; }');
      // As bash counts it, one second.
      const { status, called } = runAction("up", { ACTION_WAIT_MINUTES: "1-0" });
      expect(status).toBe(255);
      expect(called.filter((call) => call.startsWith("pulumi up"))).toHaveLength(1);
    });

    test("does not wait for ever, nor at all where it is another failure", () => {
      playProgram("pulumi");
      playProgram("npx", 'echo "the stack is locked by ci@runner" >&2; exit 1');
      expect(runAction("up", { ACTION_WAIT_MINUTES: "0" }).status).toBe(1);
      playProgram("npx", 'echo "no reply from the service" >&2; exit 1');
      expect(runAction("up").called.filter((call) => call.startsWith("npx"))).toHaveLength(2);
    });

    test.each(["destroy", "expired", "watch"])(
      "goes on with %s where recover has failed, and fails at its end",
      (what) => {
        playProgram("pulumi");
        playProgram("npx", '[ "$3" != recover ] || { echo "no reply from the service" >&2; exit 1; }');
        const { status, called } = runAction(what);
        expect(status).toBe(1);
        const next = what === "destroy" ? /^pulumi destroy/ : new RegExp(`gpufleet ${what} `);
        expect(called.some((call) => next.test(call))).toBe(true);
      },
    );

    test.each(["up", "destroy", "expired", "watch"])(
      "does not %s a stack that does not exist, and says how to create it",
      (what) => {
        playProgram("npx");
        playProgram("pulumi", "echo \"error: no stack named 'dev' found\" >&2; exit 255");
        const { status, stderr, called } = runAction(what);
        expect(status).toBe(1);
        expect(stderr).toBe("error: no stack named 'dev' found\nTo create it, once: pulumi stack init dev\n");
        expect(called).toHaveLength(1);
      },
    );

    test("comments where the stack does not exist, and fails", () => {
      playProgram("npx", "echo a comment");
      playProgram("pulumi", "echo \"error: no stack named 'dev' found\" >&2; exit 255");
      const summary = join(folder, "summary.md");
      const env = { GITHUB_EVENT_NAME: "pull_request", GITHUB_STEP_SUMMARY: summary };
      const { status, called } = runAction("preview", env);
      expect(status).toBe(255);
      expect(called.at(-1)).toMatch(
        /^npx --no-install gpufleet comment --preview \S+\/preview\.json --errors \S+\/errors\.txt --stack dev --post$/,
      );
      expect(readFileSync(summary, "utf8")).toBe("a comment\n");
    });

    test("hands limits and prices to the comment, and fails with it", () => {
      playProgram("pulumi", "echo {}");
      playProgram("pnpm", "exit 2");
      const { status, called } = runAction("preview", {
        ACTION_PACKAGE_MANAGER: "pnpm",
        ACTION_MAX_COST_PER_HOUR: "100",
        ACTION_ALLOW_UNKNOWN_PRICES: "true",
        ACTION_PRICES: '{"h100": 2.49}',
        ACTION_FORBID_DATA_LOSS: "true",
      });
      expect(status).toBe(2);
      expect(called.at(-1)).toMatch(
        /^pnpm exec gpufleet comment .* --max-cost-per-hour 100 --allow-unknown-prices --prices \{"h100": 2\.49\} --forbid-data-loss$/,
      );
    });

    test.each([
      ["npm", "npx --no-install gpufleet"],
      ["pnpm", "pnpm exec gpufleet"],
      ["yarn", "yarn run --silent gpufleet"],
      ["bun", "bun run gpufleet"],
    ])("runs the command through %s", (manager, command) => {
      for (const name of ["pulumi", "npx", "pnpm", "yarn", "bun"]) playProgram(name);
      const { status, called } = runAction("expired", { ACTION_PACKAGE_MANAGER: manager });
      expect(status).toBe(0);
      expect(called.slice(1)).toEqual([
        `${command} recover --stack dev`,
        `${command} expired --destroy --yes --stack dev`,
      ]);
    });

    test("watches, destroys what has expired, and fails where something is found and no webhook tells of it", () => {
      playProgram("pulumi");
      playProgram("npx", '[ "$3" != watch ] || exit 2');
      const settings = {
        ACTION_MIN_BALANCE_HOURS: "48",
        ACTION_WEBHOOK_FORMAT: "slack",
        ACTION_MEMORY_FILE: "/memory.json",
        ACTION_ALLOW_DATA_LOSS: "false",
      };
      const { status, called } = runAction("watch", settings);
      expect(status).toBe(2);
      expect(called.at(-1)).toBe(
        "npx --no-install gpufleet watch --destroy-expired --yes --stack dev --min-balance-hours 48 --webhook-format slack --memory-file /memory.json",
      );
      const told = runAction("watch", { GPUFLEET_WEBHOOK_URL: "https://hooks.example/s3cr3t" });
      expect(told).toMatchObject({ status: 0, stdout: expect.stringContaining("::warning title=GPU fleet::") });
      expect(told.stdout + told.stderr + told.called.join("")).not.toContain("s3cr3t");
      playProgram("npx", '[ "$3" != watch ] || exit 1');
      expect(runAction("watch", { GPUFLEET_WEBHOOK_URL: "https://hooks.example/s3cr3t" }).status).toBe(1);
    });
  });
});

describe("The action", () => {
  test("hands every input to its script through the environment", () => {
    const { inputs, runs } = readAction();
    const passed = JSON.stringify(runs.steps);
    expect(Object.keys(inputs).filter((name) => !passed.includes(`inputs.${name}`))).toEqual([]);
    // What stands in `run:` is run: no expression there, or a branch's name could be a command.
    expect(runs.steps.filter(({ run }) => run.includes("${{"))).toEqual([]);
  });

  test("hands its script nothing that the script does not know", () => {
    const script = readFileSync(join(actionFolder, "run.sh"), "utf8");
    const names = readAction().runs.steps.flatMap(({ env }) => Object.keys(env));
    const unused = names.filter((name) => !script.includes(name) && !["ACTION_DO", "GITHUB_TOKEN"].includes(name));
    expect(names).toContain("ACTION_PRICES");
    expect(unused).toEqual([]);
  });
});
