import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findSkew } from "../../cli/doctor/clock";
import type { Finding } from "../../cli/doctor/finding";
import { findProjectSettings } from "../../cli/doctor/project";
import { findService } from "../../cli/doctor/service";
import { showFindings } from "../../cli/doctor/show";
import { createEmulator, type EmulatorOptions } from "../../emulator";

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

const about = (findings: readonly Finding[], what: string) => findings.find((finding) => finding.about === what);

describe("gpufleet doctor, looking at the service", () => {
  test("finds everything right where it is", async () => {
    const findings = await examine({});
    expect(findings.map(({ is }) => is)).toEqual(Array(findings.length).fill("right"));
    expect(about(findings, "key")?.found).toBe("from GPUFLEET_API_KEY, accepted");
    expect(about(findings, "terminateVmRental")?.found).toBe(
      "POST /v2/alpha/on-demand/virtual-machine-rentals/terminate, found in the service's description",
    );
  });

  test("tells a key that is refused from a service that does not answer", async () => {
    const findings = await examine({}, "another-key");
    expect(about(findings, "key")).toEqual({
      about: "key",
      is: "wrong",
      found: "from GPUFLEET_API_KEY, and the service does not accept it",
      advice: "Have a new key made, and check that it is for this service.",
    });
    expect(about(findings, "v2 interface")).toMatchObject({ is: "right", found: "answers, and refuses the key" });
    expect(about(findings, "v1 interface")).toMatchObject({ is: "right" });
    expect(JSON.stringify(findings)).not.toContain("another-key");
  });

  test("names the operations that are only guessed, and how to say better", async () => {
    expect(about(await examine({ dialect: "undescribed" }), "deleteStorageVolume")).toEqual({
      about: "deleteStorageVolume",
      is: "doubtful",
      found: "POST /v2/alpha/on-demand/storage-volumes/delete, not described: the usual form is tried",
      advice:
        'If the service does it otherwise, say so: pulumi config set gpufleet:operations \'{"deleteStorageVolume": {"method": "…", "path": "…"}}\'',
    });
  });

  test("says so where there is no key, no URL or nobody at it", async () => {
    expect(await findService(noConfig, {})).toMatchObject([{ about: "base URL", is: "wrong" }]);
    const nobody = { GPUFLEET_BASE_URL: "http://127.0.0.1:9" };
    const findings = await findService(noConfig, nobody, 300);
    expect(about(findings, "key")).toMatchObject({ is: "wrong", found: "none" });
    expect(about(findings, "v2 interface")).toMatchObject({ is: "wrong" });
    expect(about(findings, "clock")).toMatchObject({ is: "unknown" });
  });

  test("warns of a balance that is used up", async () => {
    expect(about(await examine({ balance: 0 }), "balance")).toMatchObject({ is: "doubtful", found: "$0.00" });
  });
});

describe("gpufleet doctor, looking at the clock", () => {
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

  test("finds it right within a minute, and says how far it is off", async () => {
    expect(await skew(20)).toMatchObject({ is: "right" });
    expect((await skew(600)).found).toMatch(/^(599|600|601) s behind the service's$/);
    expect((await skew(-600)).found).toMatch(/^(599|600|601) s ahead of the service's$/);
  });
});

describe("gpufleet doctor, looking at the project", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "gpufleet-doctor-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test.each([
    ["name: fleet\nruntime: nodejs\noptions:\n  # why\n  refresh: always\n", "right"],
    ['{"name": "fleet", "options": {"refresh": "always"}}', "right"],
    ["name: fleet\nruntime: nodejs\n", "doubtful"],
    ["name: fleet\noptions:\n  refresh: never\n", "doubtful"],
    ["name: fleet\nconfig:\n  refresh: always\n", "doubtful"],
  ])("reads options.refresh of %j", (text, is) => {
    writeFileSync(join(folder, "Pulumi.yaml"), text);
    expect(findProjectSettings({ cwd: folder }).findings).toMatchObject([
      { about: "project", is: "right", found: "fleet" },
      { about: "options.refresh", is },
    ]);
  });

  test("says so where there is no project", () => {
    expect(findProjectSettings({ cwd: folder })).toMatchObject({ found: false, findings: [{ is: "wrong" }] });
  });
});

test("gpufleet doctor shows each finding with what to do", () => {
  const findings: Finding[] = [
    { about: "engine", is: "right", found: "pulumi 3.259.0" },
    { about: "key", is: "wrong", found: "none", advice: "Set GPUFLEET_API_KEY." },
    { about: "options.refresh", is: "doubtful", found: "not set", advice: "Set it." },
  ];
  expect(showFindings(findings, plain)).toBe(`✓ engine           pulumi 3.259.0
✗ key              none
                   → Set GPUFLEET_API_KEY.
! options.refresh  not set
                   → Set it.

1 to put right, 1 worth a look.`);
});
