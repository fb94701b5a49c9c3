import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findSkew } from "../../../../cli/commands/doctor/clock";
import type { Finding } from "../../../../cli/commands/doctor/finding";
import { askLists, listFindings } from "../../../../cli/commands/doctor/lists";
import { findProjectSettings } from "../../../../cli/commands/doctor/project";
import { findService } from "../../../../cli/commands/doctor/service";
import { showFindings } from "../../../../cli/commands/doctor/show";
import { whereaboutsFindings } from "../../../../cli/commands/doctor/whereabouts";
import { createEmulator, type EmulatorOptions } from "../../../../emulator";
import { OperationUnavailableError } from "../../../../provider/client";
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
    expect(await findProjectSettings({ cwd: folder })).toMatchObject({ found: false, findings: [{ status: "error" }] });
    writeFileSync(join(folder, "Pulumi.yaml"), "name: [fleet\n");
    expect(await findProjectSettings({ cwd: folder })).toMatchObject({
      found: false,
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
    const call = { operation: "listVmRentals", method: "GET", path: "/v2" };
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

  async function compare(held: readonly string[], more: Partial<Whereabouts> = {}) {
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
    return whereaboutsFindings({ version: 3, deployment: { resources } }, runtime, lists);
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

  test("reports another address, with what to do, and compares nothing there", async () => {
    const address = "https://gpu.example";
    expect(await compare(ids, { address })).toEqual([
      {
        check: "address of the state",
        status: "error",
        result: `BareMetalRental "train-${ids[0]}" and 1 more: it is at ${address}, but the configuration says ${account.url}, so nothing was read, changed or ended`,
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
    expect(await compare([])).toEqual([]);
  });
});
