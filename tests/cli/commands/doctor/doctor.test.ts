import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adviceWithoutStack, backendFinding } from "../../../../cli/commands/doctor/backend";
import { findSkew } from "../../../../cli/commands/doctor/clock";
import type { Finding } from "../../../../cli/commands/doctor/finding";
import { lastRunFinding } from "../../../../cli/commands/doctor/lastRun";
import { askLists, listFindings } from "../../../../cli/commands/doctor/lists";
import { lockFinding } from "../../../../cli/commands/doctor/lock";
import { findNode } from "../../../../cli/commands/doctor/node";
import { findProjectSettings } from "../../../../cli/commands/doctor/project";
import { findService } from "../../../../cli/commands/doctor/service";
import { showFindings } from "../../../../cli/commands/doctor/show";
import { pendingFindings } from "../../../../cli/commands/doctor/stack";
import { whereaboutsFindings } from "../../../../cli/commands/doctor/whereabouts";
import { judgeLocks } from "../../../../cli/stack/activity";
import { createEmulator, type EmulatorOptions } from "../../../../emulator";
import { OperationUnavailableError, UnauthorizedError } from "../../../../provider/client";
import { Snapshot, type Whereabouts, whereaboutsOf } from "../../../../provider/lifecycle";
import { owned } from "../../../../provider/resources";
import { type Account, openAccount } from "../../account/openAccount";

const noConfig = () => undefined;
const plain = (_style: string, text: string) => text;

async function examine(options: EmulatorOptions, key = "emulator-key"): Promise<Finding[]> {
  const emulator = createEmulator({ ssh: false, ...options });
  const { url } = await emulator.listen();
  try {
    return await findService(noConfig, { GPUFLEET_BASE_URL: url, GPUFLEET_API_KEY: key });
  } finally {
    await emulator.close();
  }
}

const about = (findings: readonly Finding[], what: string) => findings.find((finding) => finding.check === what);

const call = { operation: "listVmRentals", method: "GET", path: "/v2" };

test("gpufleet doctor says of a service without a list of virtual machines that it has none", async () => {
  expect(about(await examine({ dialect: "none" }), "virtual-machine rentals")).toEqual({
    check: "virtual-machine rentals",
    status: "unknown",
    result: "not listed by this service, so those in the state cannot be verified",
  });
});

test("gpufleet doctor wants the Node that the package wants", () => {
  const { engines } = JSON.parse(readFileSync(join(__dirname, "../../../../package.json"), "utf8"));
  const [, oldest = ""] = /^>=(\S+)$/.exec(engines.node) ?? [];
  expect(findNode(oldest)).toEqual({ check: "node", status: "ok", result: `Node ${oldest}` });
  expect(findNode("20.18.0")).toMatchObject({ status: "error", result: `Node 20.18.0 is older than ${oldest}` });
  expect(findNode("22.0.0").status).toBe("ok");
});

describe("gpufleet doctor on the service", () => {
  test("finds everything in order where it is", async () => {
    const findings = await examine({});
    expect(findings.map(({ status }) => status)).toEqual(Array(findings.length).fill("ok"));
    expect(about(findings, "API key")?.result).toBe("from GPUFLEET_API_KEY, accepted");
    expect(about(findings, "terminateVmRental")?.result).toBe(
      "POST /v2/alpha/on-demand/virtual-machine-rentals/terminate, found in the service's description",
    );
  });

  test("tells a rejected key from a service that does not reply", async () => {
    const findings = await examine({}, "another-key");
    expect(about(findings, "API key")).toEqual({
      check: "API key",
      status: "error",
      result: "from GPUFLEET_API_KEY, rejected by the service",
      advice: "Create a new key, and check that it is for this service.",
    });
    expect(about(findings, "v2 interface")).toMatchObject({ status: "ok", result: "replies, but rejects the key" });
    expect(about(findings, "v1 interface")).toMatchObject({ status: "ok" });
    expect(JSON.stringify(findings)).not.toContain("another-key");
  });

  test("names the operations that are only assumed, and how to set them", async () => {
    expect(about(await examine({ dialect: "undescribed" }), "deleteStorageVolume")).toEqual({
      check: "deleteStorageVolume",
      status: "warning",
      result: "POST /v2/alpha/on-demand/storage-volumes/delete, not described: the usual form is used",
      advice:
        'If the service differs, set it: pulumi config set gpufleet:operations \'{"deleteStorageVolume": {"method": "…", "path": "…"}}\'',
    });
  });

  test("reports a missing key, a missing URL and a service that cannot be reached", async () => {
    expect(await findService(noConfig, {})).toMatchObject([{ check: "base URL", status: "error" }]);
    const nobody = { GPUFLEET_BASE_URL: "http://127.0.0.1:9" };
    const findings = await findService(noConfig, nobody, undefined, 300);
    expect(about(findings, "API key")).toMatchObject({ status: "error", result: "missing" });
    expect(about(findings, "v2 interface")).toMatchObject({ status: "error" });
    expect(about(findings, "clock")).toMatchObject({ status: "unknown" });
  });

  test("warns of a balance that is used up", async () => {
    expect(about(await examine({ balance: 0 }), "balance")).toMatchObject({ status: "warning", result: "$0.00" });
  });
});

describe("gpufleet doctor on the clock", () => {
  async function skew(seconds: number): Promise<Finding> {
    const server = createServer((_request, response) => {
      response.setHeader("date", new Date(Date.now() + seconds * 1000).toUTCString());
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" && address ? address.port : 0;
    const finding = await findSkew(`http://127.0.0.1:${port}`, 5000);
    server.close();
    return finding;
  }

  test("accepts a minute, and says how far it is off beyond that", async () => {
    expect(await skew(20)).toMatchObject({ status: "ok" });
    expect((await skew(600)).result).toMatch(/^(599|600|601) s behind the service$/);
    expect((await skew(-600)).result).toMatch(/^(599|600|601) s ahead of the service$/);
  });
});

describe("gpufleet doctor on the project", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "gpufleet-doctor-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test.each([
    ["name: fleet\nruntime: nodejs\noptions:\n  # why\n  refresh: always\n", "ok"],
    ['{"name": "fleet", "options": {"refresh": "always"}}', "ok"],
    ["name: 'fleet' # ours\noptions: { refresh: \"always\" }\n", "ok"],
    ["options:\n    refresh: always\nname: fleet\n", "ok"],
    ["name: fleet\nruntime: nodejs\n", "warning"],
    ["name: fleet\noptions:\n  refresh: never\n", "warning"],
    ["name: fleet\nconfig:\n  refresh: always\n", "warning"],
  ])("reads options.refresh of %j", async (text, status) => {
    writeFileSync(join(folder, "Pulumi.yaml"), text);
    expect((await findProjectSettings({ cwd: folder })).findings).toMatchObject([
      { check: "project", status: "ok", result: "fleet" },
      { check: "options.refresh", status },
    ]);
  });

  test("reports a missing project, and one that cannot be read", async () => {
    expect(await findProjectSettings({ cwd: folder })).toMatchObject({
      found: undefined,
      findings: [{ status: "error" }],
    });
    writeFileSync(join(folder, "Pulumi.yaml"), "name: [fleet\n");
    expect(await findProjectSettings({ cwd: folder })).toMatchObject({
      found: undefined,
      findings: [{ status: "error", result: expect.stringMatching(/^cannot read \S+Pulumi\.yaml: \S/) }],
    });
  });
});

test("gpufleet doctor shows each finding with what to do", () => {
  const findings: Finding[] = [
    { check: "engine", status: "ok", result: "pulumi 3.259.0" },
    { check: "API key", status: "error", result: "missing", advice: "Set GPUFLEET_API_KEY." },
    { check: "options.refresh", status: "warning", result: "not set", advice: "Set it." },
  ];
  expect(showFindings(findings, plain)).toBe(`✓ engine           pulumi 3.259.0
✗ API key          missing
                   → Set GPUFLEET_API_KEY.
! options.refresh  not set
                   → Set it.

1 error, 1 warning.`);
});

describe("gpufleet doctor on the lists", () => {
  test("reports a list that it cannot read, on an interface that replies", async () => {
    const emulator = createEmulator({ ssh: false });
    const { url } = await emulator.listen();
    const match = { method: "GET", path: "/v1/marketplace/instances" };
    emulator.faults.add({ match, times: 100, kind: "status", status: 200, body: { rows: [] } });
    const findings = await findService(noConfig, { GPUFLEET_BASE_URL: url, GPUFLEET_API_KEY: "emulator-key" });
    await emulator.close();
    expect(about(findings, "v1 interface")).toMatchObject({ status: "ok" });
    expect(about(findings, "marketplace instances")).toEqual({
      check: "marketplace instances",
      status: "error",
      result: expect.stringContaining("GET /v1/marketplace/instances"),
      advice:
        "Nothing of this kind counts as gone until the list can be read. Update pulumi-gpufleet; if that does not help, report the message above.",
    });
  });

  test("reports records that it cannot read, and kinds that are not listed", () => {
    const listing = Object.assign([], { unreadable: [{ id: "7", reason: "termType is missing" }] });
    const [rentals, vms] = owned.map((definition) => ({
      definition,
      answer: new Snapshot(definition.kind, listing, 1),
    }));
    if (!rentals || !vms) throw new Error("there are none");
    expect(listFindings([rentals], [undefined, undefined])).toMatchObject([
      { check: "bare-metal rentals", status: "error", result: "1 of 1 cannot be read (7): termType is missing" },
    ]);
    expect(
      listFindings(
        [{ ...vms, answer: new UnauthorizedError(call, { reason: "401", keySent: true }) }],
        [undefined, undefined],
      ),
    ).toMatchObject([
      {
        check: "virtual-machine rentals",
        status: "error",
        advice: "Nothing of this kind counts as gone until the list can be read. Use an API key that may read it.",
      },
    ]);
    const answer = new OperationUnavailableError(call, { reason: "no such list" }, "listVmRentals");
    expect(listFindings([{ ...vms, answer }], [undefined, undefined])).toEqual([
      {
        check: "virtual-machine rentals",
        status: "unknown",
        result: "not listed by this service, so those in the state cannot be verified",
      },
    ]);
  });
});

describe("gpufleet doctor on the state beside the configuration", () => {
  let account: Account;
  let ids: string[];

  beforeAll(async () => {
    account = await openAccount();
    const rent = () => account.runtime.client.createBareMetalRental({ gpuCount: 8, networkType: "infiniband" });
    ids = [String((await rent()).id), String((await rent()).id)];
  });

  afterAll(() => account.close());

  async function compare(
    held: readonly string[],
    more: Partial<Whereabouts> = {},
    marks: readonly string[] = [],
    failure?: Error,
  ) {
    const { runtime } = account;
    const lists = await askLists(runtime.client, {});
    const [rentals] = lists;
    const view = rentals?.answer instanceof Snapshot ? rentals.answer.views()[0] : undefined;
    if (!view) throw new Error("nothing is listed");
    const where = { ...whereaboutsOf(runtime.service, "v2", view), ...more };
    const type = "pulumi-nodejs:dynamic/gpufleet:BareMetalRental";
    const resources = held.map((id) => ({
      urn: `urn:pulumi:dev::fleet::${type}::train-${id}`,
      type,
      id,
      outputs: { __where: where },
    }));
    return whereaboutsFindings(
      { state: { version: 3, deployment: { resources } }, marks },
      runtime,
      failure ? lists.map((list) => ({ ...list, answer: failure })) : lists,
    );
  }

  test("finds everything in order where it is", async () => {
    expect(await compare(ids)).toEqual([
      { check: "address of the state", status: "ok", result: account.url },
      { check: "account of the state", status: "ok", result: "the same API key as before" },
      { check: "refresh", status: "ok", result: "2 of 2 resources of the state listed" },
    ]);
  });

  test("accepts another key of the same account", async () => {
    expect(about(await compare(ids, { key: "then" }), "account of the state")).toEqual({
      check: "account of the state",
      status: "ok",
      result: "another API key than before, of the same account",
    });
  });

  test("does not say that all is well where the key is rejected and nothing could be compared", async () => {
    const rejected = new UnauthorizedError(call, { reason: "401", keySent: true });
    expect(await compare(ids, { key: "then" }, [], rejected)).toEqual([
      { check: "address of the state", status: "ok", result: account.url },
      {
        check: "account of the state",
        status: "unknown",
        result: "another API key than before, and no list that could be read tells whose it is",
      },
      { check: "refresh", status: "unknown", result: "not checked: no list of what the state has could be read" },
    ]);
  });

  test("reports another address, with what to do, and compares nothing there", async () => {
    const address = "https://gpu.example";
    expect(await compare(ids, { address })).toEqual([
      {
        check: "address of the state",
        status: "error",
        result: `BareMetalRental "train-${ids[0]}" and 1 more: it is at ${address}, but the configuration says ${account.url}, so nothing was read, changed or terminated`,
        advice: `Set GPUFLEET_BASE_URL or gpufleet:baseUrl back to ${address}; or, if the service itself has moved, set GPUFLEET_MOVED_FROM or gpufleet:movedFrom to ${address}.`,
      },
      { check: "account of the state", status: "unknown", result: "not checked: the state is of another address" },
      { check: "refresh", status: "unknown", result: "not checked: the state is of another address" },
    ]);
  });

  test("reports another account", async () => {
    const findings = await compare(["4242"], { account: "another", key: "then" });
    expect(about(findings, "account of the state")).toMatchObject({
      status: "error",
      result: expect.stringMatching(
        /^BareMetalRental "train-4242": bare-metal rental 4242 is not listed at \S+, and the API key may be that of another account \(last seen with the API key then, now used: [\w-]{12}\)$/,
      ),
      advice: "Use a key of the account that rented it; or, if it is gone, set GPUFLEET_CONFIRM_GONE=1",
    });
  });

  test("names what a refresh will not see", async () => {
    expect(about(await compare([...ids, "4242"]), "refresh")).toEqual({
      check: "refresh",
      status: "error",
      result: "2 of 3 resources of the state listed; missing: train-4242 (bare-metal rental 4242)",
      advice:
        "If they are gone, `pulumi up --refresh` creates new ones. If not, check the address and the API key first.",
    });
  });

  test("says nothing where the state has nothing that bills", async () => {
    expect(await compare([], {}, ["abcdef"])).toEqual([]);
  });

  test("shows no sum of prices that nobody knows for machines of this stack", async () => {
    const label = "login-qrstuv-abcdefgh-abcdef";
    await account.runtime.client.createVmRental({ gpuCount: 8, label });
    expect(await compare([], {}, ["qrstuv"])).toMatchObject([
      { result: "it has no machines, but the account has 1 resource of this stack (price unknown)" },
    ]);
  });

  test("reports machines of this stack beside a state that has none", async () => {
    const label = "train-abcdef-abcdefgh-abcdef";
    await account.runtime.client.createBareMetalRental({ gpuCount: 8, networkType: "infiniband", label });
    expect(await compare([], {}, ["abcdef"])).toEqual([
      {
        check: "state",
        status: "error",
        result: "it has no machines, but the account has 1 resource of this stack ($19.92/h)",
        advice:
          "If the stack's state is kept in another backend, set PULUMI_BACKEND_URL or run `pulumi login` for that one. If a run was killed, run `gpufleet recover`. `gpufleet orphans` lists them.",
      },
    ]);
  });
});

describe("gpufleet doctor on creates that are not finished", () => {
  const type = "pulumi-nodejs:dynamic/gpufleet:BareMetalRental";
  const resource = { urn: `urn:pulumi:dev::fleet::${type}::train`, type };
  const state = { version: 3, deployment: { pending_operations: [{ type: "creating", resource }] } };
  const reason = "an update is in progress";

  test("reports them, unless a run is still at work on them: recover refuses then", () => {
    const found = "1 that may be running and billing";
    expect(pendingFindings(state, { kind: "idle" })).toEqual([
      { check: "interrupted creates", status: "error", result: found, advice: "Run `gpufleet recover`." },
    ]);
    expect(pendingFindings(state, { kind: "busy", reason, isCertain: true })).toEqual([
      { check: "creates", status: "unknown", result: "1 under way, by the run that is in progress" },
    ]);
    expect(pendingFindings(state, { kind: "busy", reason, isCertain: false })).toEqual([
      {
        check: "interrupted creates",
        status: "warning",
        result: found,
        advice: "If the run that has locked the stack is over, run `gpufleet recover`.",
      },
    ]);
  });
});

describe("gpufleet doctor on the configuration", () => {
  const settings = (values: Record<string, string>) => (key: string) => values[key];
  const lastRun = settings({ baseUrl: "https://old.example", prices: "{}" });

  test("finds nothing where it is as in the last run", () => {
    expect(lastRunFinding(settings({ baseUrl: "https://old.example", prices: "{}", apiKey: "" }), lastRun, {})).toEqual(
      {
        check: "configuration",
        status: "ok",
        result: "as in the last `up`",
      },
    );
  });

  test("names what a refresh will not see, and the two ways out", () => {
    expect(lastRunFinding(settings({ baseUrl: "https://new.example", apiKey: "k" }), lastRun, {})).toEqual({
      check: "configuration",
      status: "warning",
      result:
        "changed after the last `up`: gpufleet:baseUrl, gpufleet:apiKey, gpufleet:prices. Refresh and destroy do not see that, nor does the refresh of the next `up`",
      advice: "Run `pulumi up --run-program` once, or set GPUFLEET_BASE_URL and GPUFLEET_API_KEY.",
    });
  });

  test("passes over what the environment overrides", () => {
    const environment = { GPUFLEET_BASE_URL: "https://new.example" };
    const now = settings({ baseUrl: "https://new.example", prices: "{}" });
    expect(lastRunFinding(now, lastRun, environment)).toMatchObject({ status: "ok" });
  });
});

describe("gpufleet doctor on a lock", () => {
  const lock = { owner: "ada@runner", pid: 4537, since: "2026-11-15T02:00:59Z" };

  test("gives the safe order of steps where its run was killed", () => {
    expect(lockFinding({ kind: "abandoned", locks: [lock] })).toEqual({
      check: "lock",
      status: "error",
      result: "left by a run that was killed: ada@runner (pid 4537) since 2026-11-15T02:00:59Z",
      advice: "That process has ended. Run, in this order: `pulumi cancel`, then `gpufleet recover`, then `pulumi up`.",
    });
  });

  test("asks first whether the run is over where it may go on elsewhere", () => {
    expect(lockFinding(judgeLocks([lock], { host: "laptop", isRunning: () => false }))).toEqual({
      check: "lock",
      status: "warning",
      result:
        "the stack is locked by ada@runner (pid 4537) since 2026-11-15T02:00:59Z, on another machine, so it is unknown whether that run is over",
      advice:
        "Find out whether that run is over. If it is, run, in this order: `pulumi cancel`, then `gpufleet recover`, then `pulumi up`.",
    });
  });

  test("advises nothing while a run is in progress, and where there is none", () => {
    expect(lockFinding(judgeLocks([lock], { host: "runner", isRunning: () => true }))).toEqual({
      check: "lock",
      status: "unknown",
      result: "an update is in progress: ada@runner (pid 4537) since 2026-11-15T02:00:59Z",
    });
    expect(lockFinding({ kind: "idle" })).toEqual({ check: "lock", status: "ok", result: "no run is in progress" });
  });
});

describe("gpufleet doctor on the backend", () => {
  const project = {
    file: "/p/Pulumi.yaml",
    name: "fleet",
    refresh: undefined,
    backend: undefined,
    stacks: ["dev", "prod"],
  };

  test("says where the states are, and by what that was chosen", () => {
    expect(backendFinding("file://~", project, {}).result).toBe("file://~, from `pulumi login`");
    expect(backendFinding("file:///s", { ...project, backend: "file:///s" }, {}).result).toBe(
      "file:///s, from /p/Pulumi.yaml",
    );
    expect(backendFinding("file:///s", project, { PULUMI_BACKEND_URL: "file:///s" }).result).toBe(
      "file:///s, from PULUMI_BACKEND_URL",
    );
  });

  test("warns where the environment names another than the project", () => {
    const elsewhere = { ...project, backend: "s3://ours" };
    expect(backendFinding("file:///s", elsewhere, { PULUMI_BACKEND_URL: "file:///s" })).toEqual({
      check: "backend",
      status: "warning",
      result: "file:///s, from PULUMI_BACKEND_URL, but the project says s3://ours",
      advice:
        "Unset PULUMI_BACKEND_URL if the stack's state is where the project says: an empty state elsewhere makes the next `up` rent everything again.",
    });
  });

  test("takes a stack that has settings and is not there for one that is kept elsewhere", () => {
    const select =
      "Select one with `pulumi stack select`, log in with `pulumi login`, or set PULUMI_CONFIG_PASSPHRASE.";
    expect(adviceWithoutStack("team/fleet/prod", "file:///s", project)).toBe(
      `The project has Pulumi.prod.yaml. If file:///s has no such stack, its state is kept in another backend: set PULUMI_BACKEND_URL or run \`pulumi login\` for that one first, and do not create the stack anew. ${select}`,
    );
    expect(adviceWithoutStack("test", "file:///s", project)).toBe(select);
  });
});
