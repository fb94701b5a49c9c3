import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findSkew } from "../../../../cli/commands/doctor/clock";
import type { Finding } from "../../../../cli/commands/doctor/finding";
import { findProjectSettings } from "../../../../cli/commands/doctor/project";
import { findService } from "../../../../cli/commands/doctor/service";
import { showFindings } from "../../../../cli/commands/doctor/show";
import { createEmulator, type EmulatorOptions } from "../../../../emulator";

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
