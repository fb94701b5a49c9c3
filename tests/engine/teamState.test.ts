import { cpSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { createEmulator, defaults, type Emulator } from "../../emulator";
import type { Workspace } from "../../tools/workspace";
import { type Run, startPulumi } from "../../tools/workspace";
import { describeWith } from "../requirements";
import { createExampleWorkspace } from "./exampleWorkspace";
import { type Postgres, startPostgres } from "./postgres";

const MACHINES = 2;

describeWith("postgres", "State in PostgreSQL, as in examples/team-state", (bin) => {
  let postgres: Postgres;
  let emulator: Emulator;
  let alice: Workspace;
  let bob: (...args: string[]) => Promise<Run>;

  beforeAll(async () => {
    postgres = startPostgres(bin);
    // Nothing is ready until a test lets time pass, so nobody is done before the other has begun.
    emulator = createEmulator({ provisionSeconds: 3600, endSeconds: 0 });
    const { url } = await emulator.listen();
    const service = { GPUFLEET_BASE_URL: url, GPUFLEET_API_KEY: defaults.apiKey };
    alice = await createExampleWorkspace("team-state", { env: { ...service, PULUMI_BACKEND_URL: postgres.url } });
    await alice.succeed("stack", "init");
    bob = secondPerson(alice);
  });

  afterAll(async () => {
    await alice?.dispose();
    await emulator?.close();
    postgres?.stop();
  });

  /** With a checkout and a Pulumi home of his own. */
  function secondPerson({ folder, env }: Workspace) {
    const [checkout, home] = ["bob", "bobs-home"].map((name) => join(dirname(folder), name));
    if (checkout === undefined || home === undefined) throw new Error("no folder for the second person");
    cpSync(folder, checkout, { recursive: true });
    mkdirSync(home);
    return (...args: string[]) =>
      startPulumi([...args, "--stack", "test", "--non-interactive", "--color", "never"], {
        cwd: checkout,
        env: { ...env, PULUMI_HOME: home },
      }).finished;
  }

  async function whileTimePasses<Result>(work: Promise<Result>): Promise<Result> {
    const clock = setInterval(() => emulator.clock.advance(3600), 200);
    return work.finally(() => clearInterval(clock));
  }

  const billing = () => emulator.state().filter((object) => object.billing);
  const rented = () => emulator.requests().counts["POST /v2/alpha/on-demand/virtual-machine-rentals"] ?? 0;

  test("two people who run up at once rent nothing twice, and whoever is refused is told why", async () => {
    const runs = [alice.up(), bob("up", "--yes", "--skip-preview")];
    const refused = await Promise.race(runs);
    expect(refused.code).not.toBe(0);
    expect(refused.output).toContain("the stack is currently locked");
    await whileTimePasses(Promise.all(runs));
    expect(rented()).toBe(billing().length);
    expect(billing().length).toBeLessThanOrEqual(MACHINES);
  });

  test("the next up of either has it all, and the state is in the database", async () => {
    expect(await whileTimePasses(bob("up", "--yes", "--skip-preview"))).toMatchObject({ code: 0 });
    expect(await alice.up()).toMatchObject({ code: 0, summary: { created: 0, replaced: 0, deleted: 0 } });
    expect(rented()).toBe(MACHINES);
    expect(billing()).toHaveLength(MACHINES);
    expect(postgres.query("select count(*) from pulumi_state where key like '%/stacks/team-state/test.json'")).toBe(
      "1",
    );
  });

  test("what one has brought up the other can destroy", async () => {
    expect(await bob("destroy", "--yes", "--skip-preview")).toMatchObject({ code: 0 });
    expect(billing()).toEqual([]);
  });
});
