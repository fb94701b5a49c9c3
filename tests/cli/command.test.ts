import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../../tools/bootstrap/paths";
import { goldenFolder } from "../golden/makeGolden";

/** Outside any project, and with nothing in the environment that would be used. */
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "gpufleet-command-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function gpufleet(args: readonly string[], { input = "", env = {} }: { input?: string; env?: NodeJS.ProcessEnv } = {}) {
  const { PATH = "" } = process.env;
  const result = spawnSync(process.execPath, [join(root, "bin", "gpufleet"), ...args], {
    cwd: folder,
    env: { PATH, HOME: folder, ...env },
    input,
    encoding: "utf8",
  });
  return { code: result.status, stdout: result.stdout, stderr: result.stderr };
}

const preview = join(goldenFolder, "volume-loss", "preview.json");

describe("gpufleet", () => {
  test("prints its version, and nothing else", () => {
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    for (const flag of ["--version", "-V"])
      expect(gpufleet([flag])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  });

  test("lists every command in its help", () => {
    const { code, stdout } = gpufleet(["--help"]);
    expect(code).toBe(0);
    const listed = [...stdout.matchAll(/^ {2}([a-z-]+) (?:\[|<)/gm)].map(([, name]) => name);
    expect(listed).toEqual(
      expect.arrayContaining([
        "emulator",
        "ls",
        "offers",
        "import",
        "recover",
        "comment",
        "cost",
        "prices",
        "orphans",
        "expired",
        "watch",
        "doctor",
        "report",
        "ssh",
        "ssh-config",
        "completion",
      ]),
    );
  });

  test("loads nothing but the options for its help", () => {
    const print = 'Object.keys(require.cache).filter((file) => !file.includes("node_modules")).join("\\n")';
    const script = `process.on("exit", () => console.error(${print})); require(process.argv[1])`;
    const { stderr } = spawnSync(process.execPath, ["-e", script, join(root, "bin", "gpufleet"), "--help"], {
      encoding: "utf8",
    });
    const loaded = stderr.trim().split("\n");
    expect(loaded).toContainEqual(expect.stringContaining("commands/cost/index.js"));
    expect(
      loaded.filter(
        (file) =>
          !/bin\/gpufleet$|cli\/(index|(options|place)\/\w+|commands\/\w+\/index)\.js$|emulator\/(index|options|connectionCut)\.js$|shared\/(messageOf|shell|stackName)\.js$/.test(
            file,
          ),
      ),
    ).toEqual([]);
  });

  test.each(["offers", "comment", "orphans", "expired", "watch", "doctor"])(
    "explains the exit codes in the help of %s",
    (command) => {
      const { code, stdout } = gpufleet([command, "--help"]);
      expect(code).toBe(0);
      expect(stdout).toMatch(/Exit codes:\n {2}0 {2}success\n {2}1 {2}.*\n {2}2 {2}\S/);
    },
  );

  test.each([
    [["bogus"], "error: unknown command 'bogus'"],
    [["comment"], "error: required option '--preview <file>' not specified"],
    [
      ["comment", "--preview", preview, "--max-cost-per-hour", "lots"],
      "error: option '--max-cost-per-hour <usd>' argument 'lots' is invalid. It must be USD per hour: a number, 0 or more.",
    ],
    [
      ["comment", "--preview", preview, "--price", "h100"],
      "error: option '--price <name=usd>' argument 'h100' is invalid. It must look like h100=2.49.",
    ],
    [
      ["comment", "--preview", preview, "--prices", '{"h101": 2}'],
      "error: option '--prices <json>' argument '{\"h101\": 2}' is invalid. It has no price named \"h101\". Did you mean h100?",
    ],
    [
      ["prices", "--prices", '{"h100": "2.49"}'],
      'error: option \'--prices <json>\' argument \'{"h100": "2.49"}\' is invalid. It must have a number in USD per hour for h100, not "2.49".',
    ],
    [["prices", "--book", "--json"], "error: option '--book' cannot be used with option '--json'"],
    [["comment", "--preview", "not-there.json"], "gpufleet: cannot read not-there.json: no such file"],
    [
      ["watch", "--every", "10"],
      'gpufleet: --every must be a duration of at least one minute, such as 10m or 1h, not "10"',
    ],
    [["watch", "--yes"], "gpufleet: --yes needs --destroy-expired"],
    [
      ["ls", "--watch", "--every", "1s"],
      'gpufleet: --every must be a duration of at least 5 seconds, such as 10s or 1m, not "1s"',
    ],
    [
      ["offers", "--max-price-per-hour", "0"],
      "error: option '--max-price-per-hour <usd>' argument '0' is invalid. It must be USD per hour: a number, more than 0.",
    ],
    [
      ["offers", "--gpu-count", "1.5"],
      "error: option '--gpu-count <count>' argument '1.5' is invalid. It must be a whole number, 1 or more.",
    ],
    [
      ["offers"],
      "gpufleet: no base URL: set GPUFLEET_BASE_URL, or run `pulumi config set gpufleet:baseUrl https://…`. To try it without an account, run `gpufleet emulator`",
    ],
    [["offers", "--json", "--program"], "error: option '--program' cannot be used with option '--json'"],
    [["import", "--force"], "gpufleet: --force needs --out"],
    [
      ["import", "--out", preview],
      `gpufleet: ${preview} exists already: choose another file, or add --force to overwrite it`,
    ],
    [
      ["watch", "--webhook", "http://hooks.example/s3cr3t"],
      "gpufleet: the webhook http://hooks.example/… must use https; plain http is allowed on loopback addresses only",
    ],
    [
      ["orphans", "--grace-minutes", "-1"],
      "error: option '--grace-minutes <minutes>' argument '-1' is invalid. It must be a number of minutes, 0 or more.",
    ],
  ])("fails on %j with one line and no stack trace", (args, message) => {
    const { code, stdout, stderr } = gpufleet(args);
    expect({ code, stdout, first: stderr.split("\n")[0] }).toEqual({ code: 1, stdout: "", first: message });
    expect(stderr).not.toMatch(/\n\s+at /);
  });
});

describe("gpufleet watch", () => {
  test("says that nothing could be checked, and exits with 1", () => {
    const { code, stdout, stderr } = gpufleet(["watch", "--json"], { env: { PATH: "/nowhere" } });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: "gpufleet watch: `pulumi` is not on the PATH. Install the Pulumi CLI: this command runs it.\n",
    });
    expect(JSON.parse(stdout)).toMatchObject({
      status: "found",
      findings: [
        { kind: "error", text: expect.stringMatching(/^Nothing could be checked: `pulumi` is not on the PATH/) },
      ],
    });
  });

  test("goes on as a service where a look fails, one line of JSON each, and ends when it is told to", async () => {
    const args = [join(root, "bin", "gpufleet"), "watch", "--every", "1h", "--json"];
    const service = spawn(process.execPath, args, { cwd: folder, env: { PATH: "/nowhere", HOME: folder } });
    const [line] = await once(service.stdout.setEncoding("utf8"), "data");
    expect(JSON.parse(line)).toMatchObject({ findings: [{ kind: "error" }] });
    expect(service.exitCode).toBeNull();
    service.kill("SIGTERM");
    expect(await once(service, "exit")).toEqual([0, null]);
  });
});

describe("gpufleet comment", () => {
  test("reads standard input", () => {
    const { code, stdout, stderr } = gpufleet(["comment", "--preview", "-"], { input: readFileSync(preview, "utf8") });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.split("\n")[0]).toBe("<!-- gpufleet-comment golden/test -->");
  });

  test("exits with 2 where a limit is exceeded, and still prints the comment", () => {
    const { code, stdout, stderr } = gpufleet([
      "comment",
      "--preview",
      preview,
      "--forbid-data-loss",
      "--max-cost-per-hour",
      "10",
    ]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        "gpufleet comment: refused: ≈ $68.42/h is more than $10.00/h\ngpufleet comment: refused: the contents of one volume are lost\n",
    });
    expect(stdout).toContain("- ❌ No data loss: the contents of one volume are lost");
  });

  test("prints JSON", () => {
    const { stdout } = gpufleet(["comment", "--preview", preview, "--format", "json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      version: 2,
      verdict: {
        kind: "data-loss",
        text: 'Destroys the data of volume "data" (2,048 GB); ≈ +$0.20/h (+$149.50/month)',
      },
      dataLoss: 1,
      cost: { delta: { perHour: 0.2048, unknown: 0 } },
    });
  });

  test.each([
    ["", "standard input is not the output of `pulumi preview --json`: it is empty"],
    [
      "error: no stack selected",
      'standard input is not the output of `pulumi preview --json`: it begins with "error: no stack selected"',
    ],
    ["[1]", "standard input is not the output of `pulumi preview --json`: it has a different structure"],
    ["{}", "standard input is not the output of `pulumi preview --json`: it has a different structure"],
    [
      '{"sequence":0,"timestamp":1}\n{}',
      "standard input is not the output of `pulumi preview --json`: it is a stream of events. Unset PULUMI_ENABLE_STREAMING_JSON_PREVIEW",
    ],
  ])("refuses %j as a preview", (input, message) => {
    const { code, stderr } = gpufleet(["comment", "--preview", "-"], { input });
    expect(code).toBe(1);
    expect(stderr).toContain(`gpufleet: ${message}`);
  });
});

describe("Colours", () => {
  const doctor = (env: NodeJS.ProcessEnv) => gpufleet(["doctor"], { env: { PATH: "", ...env } });
  const colour = "\u001b[";

  test("are left out where the output is no terminal, and wherever NO_COLOR is set", () => {
    expect(doctor({}).stdout).not.toContain(colour);
    expect(doctor({ FORCE_COLOR: "1", NO_COLOR: "1" }).stdout).not.toContain(colour);
  });

  test("are there where somebody insists, and the exit code says that something is wrong", () => {
    const { code, stdout } = doctor({ FORCE_COLOR: "1" });
    expect(stdout).toContain(`${colour}31m✗`);
    expect(code).toBe(2);
  });
});

describe("Shell completion", () => {
  let script: string;
  beforeAll(() => {
    script = gpufleet(["completion", "bash"]).stdout;
  });

  const complete = (...words: string[]) => {
    const quoted = words.map((word) => `'${word}'`).join(" ");
    const ask = `COMP_WORDS=(gpufleet ${quoted}); COMP_CWORD=${words.length}; _gpufleet; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return spawnSync("bash", ["-c", `${script}\n${ask}`], { encoding: "utf8" })
      .stdout.trim()
      .split("\n");
  };

  test("knows commands, options and choices in bash", () => {
    expect(complete("or")).toEqual(["orphans"]);
    expect(complete("ls", "--a")).toEqual(["--account", "--all-stacks"]);
    expect(complete("comment", "--for")).toEqual(["--format", "--forbid-data-loss"]);
    expect(complete("comment", "--format", "")).toEqual(["markdown", "json"]);
    expect(complete("completion", "")).toEqual(["bash", "zsh", "fish"]);
  });

  test("is there for zsh and fish, with every option of every command", () => {
    expect(gpufleet(["completion", "zsh"]).stdout).toMatch(
      /^#compdef gpufleet\n[\s\S]*orphans\) _arguments .*'--grace-minutes\[/,
    );
    expect(gpufleet(["completion", "fish"]).stdout).toMatch(
      /__fish_seen_subcommand_from orphans' -l grace-minutes -d '/,
    );
  });

  test("is for no other shell", () => {
    expect(gpufleet(["completion", "tcsh"])).toMatchObject({ code: 1, stdout: "" });
  });
});
