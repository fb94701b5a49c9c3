import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { hostname, userInfo } from "node:os";
import { join } from "node:path";
import { createEmulatedWorkspace, type EmulatedWorkspace } from "./emulatedWorkspace";
import { expectSuccess } from "./expectSuccess";
import { runGpufleet } from "./runCommand";

/** How long anything may take until it is said: almost all of it are the engine's own seconds, on a machine with a lot to do. */
const secondsAtMost = 60;

const vmRegions =
  "us-central-1, us-central-2, eu-north-2, eu-west-2, eu-north-4, eu-north-5, us-east-1, us-east-2, ca-east-3, eu-north-6, eu-north-7, " +
  "eu-north-8, ca-west-1, ca-east-1, us-central-3, us-southeast-1, me-central-1, ca-east-2, eu-west-1, us-southeast-2, jp-east-1";

/** Mistakes in the inputs of a resource: what is written, and what is said of it. */
const wrongInputs: Readonly<Record<string, readonly { mistake: string; args: object; says: string }[]>> = {
  BareMetalRental: [
    {
      mistake: "a misspelt property",
      args: { gpuCuont: 8 },
      says: "gpuCuont is not a property of BareMetalRental. Did you mean gpuCount?",
    },
    {
      mistake: "a property that is left out",
      args: {},
      says: "networkType is required (one of infiniband, ethernet)",
    },
    {
      mistake: "a CUDA version without its name",
      args: { cudaVersion: "12.8" },
      says: 'cudaVersion must be one of cuda12.8, cuda12.9, not "12.8". Did you mean cuda12.8?',
    },
  ],
  VmRental: [
    {
      mistake: "a region without its hyphen",
      args: { region: "us-east1" },
      says: `region must be one of ${vmRegions}, not "us-east1". Did you mean us-east-1?`,
    },
    {
      mistake: "a GPU in capitals",
      args: { gpuType: "H100" },
      says: 'gpuType must be one of h100, h200, b200, not "H100". Did you mean h100?',
    },
    { mistake: "a number in text", args: { gpuCount: "1" }, says: 'gpuCount must be a number, not "1"' },
    {
      mistake: "an expiry in words",
      args: { expiresAt: "tomorrow" },
      says: 'expiresAt must be a time such as "2026-12-24T18:00:00Z", or a duration from creation such as "8h", not "tomorrow"',
    },
    {
      mistake: "a timeout in words",
      args: { timeouts: { create: "soon" } },
      says: 'timeouts.create must be a number of seconds, or a duration such as "30m" or "2h", not "soon"',
    },
    {
      mistake: "a limit of nothing",
      args: { maxCostPerHour: 0 },
      says: "maxCostPerHour must be more than 0, not 0",
    },
  ],
  MarketplaceInstance: [
    { mistake: "no GPUs", args: { gpuCount: 0 }, says: "gpuCount must be at least 1, not 0" },
    {
      mistake: "an image in text",
      args: { image: "pytorch" },
      says: 'image must be an object such as { name: "pytorch/pytorch", tag: "latest" }, not "pytorch"',
    },
    {
      mistake: "a misspelt criterion",
      args: { select: { gpuModle: "H100" } },
      says: "gpuModle is not a property of MarketplaceInstance.select. Did you mean gpuModel?",
    },
  ],
};

/** A mistake in the arguments of a fleet, which are looked at before anything is registered. */
const wrongFleets: readonly { mistake: string; args: string; says: string }[] = [
  {
    mistake: "a negative count",
    args: '{ kind: "vm", count: -1, regions: ["us-east-1"], gpuCount: 1 }',
    says: "count must be a whole number, 0 or more, not -1.",
  },
  {
    mistake: "a count that is an output",
    args: '{ kind: "vm", count: pulumi.output(2), regions: ["us-east-1"], gpuCount: 1 }',
    says: 'count must be a plain number, not an Output or a Promise: which resources there are must be known before any of them is created. Take it from the configuration, such as new pulumi.Config().requireNumber("count"), or await the value.',
  },
  {
    mistake: "a kind that does not exist",
    args: '{ kind: "baremetal", count: 1, regions: ["us-east-1"], gpuCount: 1 }',
    says: 'kind must be "bare-metal" or "vm", not "baremetal". Did you mean bare-metal?',
  },
  {
    mistake: "a misspelt argument, region and GPU",
    args: '{ kind: "vm", count: 1, regions: ["us-east1"], gpuCount: 1, gpuType: "H100", maxCostPerHur: 5 }',
    says: 'maxCostPerHur is not an argument of a vm fleet. Did you mean maxCostPerHour? regions: "us-east1" is not a region for vm. Did you mean us-east-1? gpuType must be one of h100, h200, b200, not "H100". Did you mean h100?',
  },
];

describe("What a new user does wrong", () => {
  let emulated: EmulatedWorkspace;
  let website: Server;
  let page: string;

  beforeAll(async () => {
    emulated = await createEmulatedWorkspace({
      program: "",
      emulator: { capacity: 16 },
      env: { GPUFLEET_RECONCILE_SECONDS: "1" },
    });
    // In the environment until the last test, which is about setting it later.
    await emulated.workspace.removeConfig("gpufleet:baseUrl");
    emulated.workspace.env["GPUFLEET_BASE_URL"] = emulated.url;
    website = createServer((_request, response) => {
      response.writeHead(404, { "content-type": "text/html" });
      response.end("<html><head><title>404 Not Found</title></head><body>nginx</body></html>");
    });
    await new Promise<void>((resolve) => website.listen(0, "127.0.0.1", resolve));
    const address = website.address();
    page = `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
  });

  afterAll(async () => {
    website.close();
    await emulated.dispose();
  });

  /** Runs the program, and says how it ended, in seconds. */
  async function failing(lines: readonly string[], ...command: string[]): Promise<string> {
    const { workspace } = emulated;
    workspace.writeProgram(
      ['const g = require("pulumi-gpufleet");', 'const pulumi = require("@pulumi/pulumi");', ...lines].join("\n"),
    );
    const startedAt = performance.now();
    const { code, output } = await workspace.pulumi(...command);
    expect((performance.now() - startedAt) / 1000).toBeLessThan(secondsAtMost);
    expect({ code, output }).not.toMatchObject({ code: 0 });
    return output;
  }

  const up = ["up", "--yes", "--skip-preview", "--continue-on-error"];
  const team =
    'new g.GpuFleet("team", { kind: "bare-metal", count: 2, regions: ["us-central-1"], gpuCount: 16, networkType: "infiniband" });';
  const billing = () => emulated.emulator.state().filter((one) => one.billing);

  test.each(Object.entries(wrongInputs))(
    "in the inputs of a %s shows in the preview, all of it",
    async (type, rows) => {
      const args = JSON.stringify(Object.assign({}, ...rows.map((row) => row.args)));
      const output = await failing([`new g.${type}("a", ${args});`], "preview");
      const resource = `pulumi-nodejs:dynamic/gpufleet:${type}`;
      expect(linesAbout(output, `${resource} (a)`).sort()).toEqual(
        rows.map(({ says }) => `error: ${resource} resource 'a' has a problem: ${says}`).sort(),
      );
    },
  );

  describe("in the arguments of a fleet", () => {
    let output: string;
    beforeAll(async () => {
      const [last, ...others] = wrongFleets.map(({ args }, index) => `new g.GpuFleet("f${index}", ${args})`).reverse();
      output = await failing(
        [...others.map((fleet) => `try { ${fleet}; } catch (error) { pulumi.log.error(error.message); }`), `${last};`],
        "preview",
      );
    });

    test.each(wrongFleets.map((row, index) => ({ ...row, name: `f${index}` })))(
      "shows in the preview: $mistake",
      ({ name, says }) => {
        expect(linesAbout(output, "pulumi:pulumi:Stack (workspace-test)")).toContain(
          `error: GpuFleet "${name}" is invalid: ${says}`,
        );
      },
    );
  });

  test("in the name of a setting shows in the preview", async () => {
    const output = await failing(
      [`new g.VmRental("a", { gpuCount: 1 });`],
      "preview",
      "--config",
      "gpufleet:maxCostPerHur=5",
    );
    expect(output).toContain(
      "error: The setting gpufleet:maxCostPerHur does not exist. Did you mean gpufleet:maxCostPerHour? Remove it with `pulumi config rm gpufleet:maxCostPerHur`.",
    );
    await emulated.workspace.removeConfig("gpufleet:maxCostPerHur");
  });

  test("without an address, or without a key, is a warning in the preview and an error in up", async () => {
    const { workspace, url } = emulated;
    const key = workspace.env["GPUFLEET_API_KEY"] ?? "";
    const program = ['new g.BareMetalRental("a", { networkType: "infiniband", gpuCount: 8 });'];
    delete workspace.env["GPUFLEET_BASE_URL"];
    const noAddress =
      "no base URL: set GPUFLEET_BASE_URL, or run `pulumi config set gpufleet:baseUrl https://…`. To try it without an account, run `gpufleet emulator`";
    const unset = await failing(program, "up", "--yes");
    expect(unset).toContain(`warning: \`pulumi up\` would fail: ${noAddress}`);
    expect(unset).toContain(`error: creating BareMetalRental "a": ${noAddress}`);

    workspace.env["GPUFLEET_BASE_URL"] = url;
    workspace.env["GPUFLEET_API_KEY"] = "";
    const keyless = await failing(program, "up", "--yes");
    const howTo = "set GPUFLEET_API_KEY, or run `pulumi config set --secret gpufleet:apiKey`";
    expect(keyless).toContain(`warning: \`pulumi up\` would fail: no API key: ${howTo}`);
    expect(keyless).toContain(
      `error: creating BareMetalRental "a": GET /v2/alpha/on-demand/bare-metal-rentals answered 401: no API key was sent. S${howTo.slice(1)}. ` +
        "Refresh and destroy use the configuration of the last up: after changing the key, set GPUFLEET_API_KEY or add --run-program.",
    );
    workspace.env["GPUFLEET_API_KEY"] = key;
    expect(billing()).toEqual([]);
  });

  test("with the key, the address or the network is an error in up that says what to check", async () => {
    const list = "GET /v2/alpha/on-demand/bare-metal-rentals";
    const mistakes = [
      {
        settings: { baseUrl: emulated.url, apiKey: "wrong-key-123" },
        says: `${list} answered 401: the API key was rejected. The key is apiKey of Provider "p0". Refresh and destroy use the configuration of the last up: after changing the key, add --run-program.`,
      },
      {
        settings: { baseUrl: "http://127.0.0.1:9", apiKey: "k" },
        says: `${list}: could not reach http://127.0.0.1:9: connect ECONNREFUSED 127.0.0.1:9. Is the emulator running? Start it with \`gpufleet emulator\`, or check baseUrl of Provider "p1".`,
      },
      {
        settings: { baseUrl: "https://gpu.invalid", apiKey: "k" },
        says: /could not reach https:\/\/gpu\.invalid: getaddrinfo (ENOTFOUND|EAI_AGAIN) gpu\.invalid\. Check baseUrl of Provider "p2" and the network\.$/,
      },
      {
        settings: { baseUrl: page, apiKey: "k" },
        says: `${list} answered 404: Not Found. A web page answered, not the service. Check that ${page} is the right base URL.`,
      },
      {
        settings: { baseUrl: "http://gpu.example", apiKey: "k" },
        says: "baseUrl http://gpu.example must use https; plain http is allowed on loopback addresses only",
      },
    ];
    const output = await failing(
      mistakes.map(
        ({ settings }, index) =>
          `new g.BareMetalRental("a${index}", { networkType: "infiniband", gpuCount: 8 }, { provider: new g.Provider("p${index}", ${JSON.stringify(settings)}) });`,
      ),
      ...up,
    );
    for (const [index, { says }] of mistakes.entries()) {
      const [shown = ""] = linesAbout(output, `pulumi-nodejs:dynamic/gpufleet:BareMetalRental (a${index})`);
      const message = shown.replace(`error: creating BareMetalRental "a${index}": `, "");
      if (typeof says === "string") expect(message).toBe(says);
      else expect(message).toMatch(says);
    }
    expect(output).not.toContain("wrong-key-123");
  });

  test("that money, capacity, the market or an id forbids is an error in up, which says what bills", async () => {
    const output = await failing(
      [
        'const rental = { networkType: "infiniband", gpuCount: 8 };',
        'new g.BareMetalRental("dear", { ...rental, region: "eu-west-3", maxCostPerHour: 1 });',
        'new g.MarketplaceInstance("picky", { gpuCount: 1, select: { region: "us-east1" } });',
        'new g.BareMetalRental("taken", rental, { import: "4711" });',
        'g.BareMetalRental.get("seen", "4711");',
        'new g.BareMetalRental("huge", { ...rental, region: "eu-west-4", gpuCount: 24 });',
        team,
      ],
      ...up,
    );
    for (const text of [
      'error: creating BareMetalRental "dear": it costs $19.92/h, more than its maxCostPerHour of $1.00/h. It was terminated immediately.',
      'No machine has the region "us-east1". Did you mean us-east-1?',
      'error: creating BareMetalRental "taken": bare-metal rental 4711 cannot be adopted: it does not exist. Remove adoptId, or the option import, to create a new one.',
      `reading BareMetalRental "seen": bare-metal rental 4711 does not exist at ${emulated.url}. Check the id, the address and the API key.`,
      'error: creating BareMetalRental "huge": POST /v2/alpha/on-demand/bare-metal-rentals answered 400: no capacity for 24×h100 in eu-west-4',
    ]) {
      expect(output).toContain(text);
    }
    expect(output).toMatch(
      /creating BareMetalRental "team-[01]": POST \S+ answered 400: no capacity for 16×h100 in us-central-1\. Of the fleet "team" of 2, 1 bills \$39\.84\/h so far: team-[01] \(rental \d+, \$39\.84\/h\)\. `pulumi up` tries the rest again; (count: 1 does without them|for a fleet of 1, set count: 1, make room with `pulumi destroy --target 'urn:\S+::team-1' --target-dependents`, then run `pulumi up`); `pulumi destroy` terminates all\./,
    );
    expect(billing()).toHaveLength(1);
  });

  test("to set the address after the first up is said by refresh and seen by doctor, beside the lock of a killed run", async () => {
    const { workspace, url } = emulated;
    delete workspace.env["GPUFLEET_BASE_URL"];
    await workspace.setConfig({ "gpufleet:baseUrl": url });
    const output = await failing([team], "refresh", "--yes", "--skip-preview");
    expect(output).toMatch(
      /error: reading BareMetalRental "team-[01]": no base URL: set GPUFLEET_BASE_URL, .*\. Refresh and destroy use the configuration of the last `pulumi up`: if you have changed it since, run `pulumi up --run-program`/,
    );
    const locks = join(workspace.folder, "..", "state", ".pulumi", "locks", "organization", workspace.project, "test");
    const { username } = userInfo();
    mkdirSync(locks, { recursive: true });
    // Larger than any process id.
    const lock = { pid: 2 ** 30, username, hostname: hostname(), timestamp: "2026-11-15T02:00:59Z" };
    writeFileSync(join(locks, "375f26cc-0000-4000-8000-000000000000.json"), JSON.stringify(lock));
    const doctor = await runGpufleet(workspace, "doctor", "--json", "--stack", "test");
    const { findings } = JSON.parse(doctor.stdout);
    expect(findings).toContainEqual({
      check: "configuration",
      status: "warning",
      result:
        "changed after the last `up`: gpufleet:baseUrl. Refresh and destroy do not see that, nor does the refresh of the next `up`",
      advice: "Run `pulumi up --run-program --stack test` once, or set GPUFLEET_BASE_URL.",
    });
    expect(findings).toContainEqual({
      check: "lock",
      status: "error",
      result: `left by a run that was killed: ${username}@${hostname()} (pid ${lock.pid}) since ${lock.timestamp}`,
      advice:
        "That process has ended. Run, in this order: `pulumi cancel --stack test`, then `gpufleet recover --stack test`, then `pulumi up --stack test`.",
    });
    await workspace.unlock();
    expectSuccess(await workspace.destroy("--run-program"));
    expect(billing()).toEqual([]);
  });
});

/** What the diagnostics say about a resource, line by line. */
function linesAbout(output: string, title: string): string[] {
  const [, about = ""] = output.split(`\n  ${title}:\n`);
  return (
    about
      .split(/\n {2}\S|\nResources:/)[0]
      ?.split("\n")
      .map((line) => line.trim())
      .filter(Boolean) ?? []
  );
}
