import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEmulator, defaults, type Emulator } from "../../emulator";
import { createClient } from "../../provider/client";
import type { Workspace } from "../../tools/workspace";
import { describeWith } from "../requirements";
import { createExampleWorkspace, listExamples } from "./exampleWorkspace";
import { expectSuccess } from "./expectSuccess";

let emulator: Emulator;
/** Of another account, for the example that has two. */
let partner: Emulator;
const partnerKey = "key-of-the-partner";
let env: { GPUFLEET_BASE_URL: string; GPUFLEET_API_KEY: string; GPUFLEET_RECONCILE_SECONDS: string };

beforeAll(async () => {
  emulator = createEmulator({ provisionSeconds: 0, endSeconds: 0 });
  partner = createEmulator({ provisionSeconds: 0, endSeconds: 0, apiKey: partnerKey });
  const { url } = await emulator.listen();
  // The emulator's lists do not lag: what is missing is gone.
  env = { GPUFLEET_BASE_URL: url, GPUFLEET_API_KEY: defaults.apiKey, GPUFLEET_RECONCILE_SECONDS: "1" };
});

afterAll(async () => {
  await emulator.close();
  await partner.close();
});

const account = () => createClient({ baseUrl: env.GPUFLEET_BASE_URL, apiKey: env.GPUFLEET_API_KEY });
const billing = () => [...emulator.state(), ...partner.state()].filter((object) => object.billing);

/** What must be there before an example can run: the settings that it reads. */
const prepared: Readonly<Record<string, () => Promise<Record<string, string>>>> = {
  adopt: async () => {
    const rental = await account().createBareMetalRental({ networkType: "infiniband", gpuCount: 8 });
    return { "adopt:rentalId": String(rental.id) };
  },
  "two-accounts": async () => {
    const { url } = await partner.listen();
    return { "two-accounts:partnerUrl": url, "two-accounts:partnerKey": partnerKey };
  },
};

/** What an example shows besides coming up, between `up` and `destroy`. */
const shown: Readonly<Record<string, (workspace: Workspace) => Promise<void>>> = {
  adopt: async () => {
    expect(emulator.state()).toHaveLength(1);
  },
  healing: async (workspace) => {
    const [lost, ...others] = billing().map(({ id }) => Number(id));
    if (lost === undefined) throw new Error("no machine to lose");
    await account().terminateRental({ rentalType: "bare-metal", rentalId: lost });
    // Nothing but the machine is made anew; the gate of the fleet learns of it.
    expectSuccess(await workspace.up(), { created: 1, updated: 1, replaced: 0, deleted: 0 });
    const now = billing().map(({ id }) => Number(id));
    expect(now).toHaveLength(3);
    expect(now).toEqual(expect.arrayContaining(others));
  },
  "two-accounts": async () => {
    const kinds = (of: Emulator) => of.state().map(({ kind }) => kind);
    expect([kinds(emulator), kinds(partner)]).toEqual([["bare-metal"], ["virtual-machine", "virtual-machine"]]);
  },
};

/** That these are then unchanged is told of their resource, with all of its inputs, in resources.test.ts. */
const ofOneResource = /^(bare-metal-rental|vm-rental|storage-volume|marketplace-instance)$/;

/** Has machines to log in to, and so a test of its own. */
const overSsh = "machine-setup";

describe("Every example", () => {
  beforeEach(() => emulator.reset());

  test.each(listExamples().filter((name) => name !== overSsh))(
    "%s comes up, is then unchanged, and leaves nothing billing",
    async (name) => {
      const config = (await prepared[name]?.()) ?? {};
      const workspace = await createExampleWorkspace(name, { env, config });
      try {
        expectSuccess(await workspace.up(), { updated: 0, replaced: 0, deleted: 0, unchanged: 0 });
        expect(billing()).not.toEqual([]);
        await shown[name]?.(workspace);
        if (!ofOneResource.test(name)) {
          expectSuccess(await workspace.up(), { created: 0, updated: 0, replaced: 0, deleted: 0 });
        }
        expectSuccess(await workspace.destroy());
        expect(billing()).toEqual([]);
      } finally {
        await workspace.dispose();
      }
    },
  );
});

describeWith("sshd", "The example that sets a machine up over ssh", (program) => {
  test("installs a package, writes a file and starts a service, and does so again on the machine that takes its place", async () => {
    const home = mkdtempSync(join(tmpdir(), "gpufleet-example-ssh-"));
    const key = join(home, "key");
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
    const sshServer = { program, publicKeys: [readFileSync(`${key}.pub`, "utf8").trim()] };
    const machines = createEmulator({ provisionSeconds: 0, endSeconds: 0, sshServer });
    const { url } = await machines.listen();
    const workspace = await createExampleWorkspace(overSsh, {
      env: { ...env, GPUFLEET_BASE_URL: url, HOME: home },
      config: { "gpufleet:sshKeyFile": key },
    });
    const rentals = () => machines.state().filter((object) => object.billing);
    /** What was done on the one machine that there is. */
    const done = () => {
      const folder = readdirSync(tmpdir()).find((name) =>
        name.startsWith(`gpufleet-emulated-machines-${process.pid}-`),
      );
      const there = join(tmpdir(), String(folder), `rental-${rentals()[0]?.id}`, "home");
      const unit = readFileSync(join(there, ".config", "systemd", "user", "gpu-log.service"), "utf8");
      return { unit, commands: readFileSync(join(there, ".emulated-commands"), "utf8").trim().split("\n") };
    };
    const expected = {
      unit: expect.stringContaining("ExecStart=/usr/bin/nvidia-smi"),
      commands: expect.arrayContaining([
        "apt-get install -y -qq nvtop",
        "systemctl --user enable --now gpu-log.service",
      ]),
    };
    try {
      expectSuccess(await workspace.up(), { updated: 0, replaced: 0 });
      expect(done()).toEqual(expected);
      expect((await workspace.outputs())["gpus"]).toMatch(/^GPU 0: .*\nGPU 1: .*\n$/);
      const [lost] = rentals();
      await createClient({ baseUrl: url, apiKey: defaults.apiKey }).terminateRental({
        rentalType: "virtual-machine",
        rentalId: Number(lost?.id),
      });
      expectSuccess(await workspace.up("--refresh"), { created: 1, updated: 1, replaced: 0 });
      expect(rentals()).not.toEqual([lost]);
      expect(done()).toEqual(expected);
      expectSuccess(await workspace.up(), { created: 0, updated: 0, replaced: 0, deleted: 0 });
      expectSuccess(await workspace.destroy());
      expect(rentals()).toEqual([]);
    } finally {
      await workspace.dispose();
      await machines.close();
      rmSync(home, { recursive: true, force: true });
    }
  });
});
