import type { FaultSpec } from "../../../emulator";
import type { Run } from "../../../tools/workspace";
import { createEmulatedWorkspace, type EmulatedWorkspace } from "../../engine/emulatedWorkspace";
import { paths, seededRandom } from "../../lifecycle/rig";
import type { Sample } from "../schedules/sample";
import { demandFewRequests, failing, untilClean } from "./handlerLoad";

export interface EngineLoad {
  rentals: number;
  /** How many requests came to the service, without and with faults. */
  requests: { undisturbed: number; disturbed: number };
  /** Commands that were needed with faults: how many of each. */
  commands: { up: number; refresh: number; destroy: number };
  failures: string[];
}

/** More than there will be of any sort. */
const requestsPerRental = 3;

/** Many rentals on the real engine come up, refresh and go down, while every fifth request of each sort fails. */
export async function playEngineLoad({ count, seed, say }: Sample): Promise<EngineLoad> {
  const load: EngineLoad = {
    rentals: count,
    requests: { undisturbed: 0, disturbed: 0 },
    commands: { up: 0, refresh: 0, destroy: 0 },
    failures: [],
  };
  if (count === 0) return load;
  say(`${count} rentals on the engine, undisturbed`);
  await withRentals(count, (emulated) => comeAndGo(emulated, load, count));
  load.requests.undisturbed = load.requests.disturbed;
  say(`${count} rentals on the engine, every fifth request failing`);
  await withRentals(count, (emulated) => {
    emulated.emulator.faults.add(...everyFifth(count, seededRandom(seed)));
    return comeAndGo(emulated, load, count);
  });
  demandFewRequests(load, load.requests);
  return load;
}

async function withRentals(count: number, work: (emulated: EmulatedWorkspace) => Promise<void>): Promise<void> {
  const program = `const { BareMetalRental } = require("pulumi-gpufleet");
for (let i = 0; i < ${count}; i++) new BareMetalRental("node-" + i, { networkType: "infiniband", gpuCount: 8 });`;
  const emulated = await createEmulatedWorkspace({ program, env: { GPUFLEET_RECONCILE_SECONDS: "2" } });
  try {
    await work(emulated);
  } finally {
    await emulated.dispose();
  }
}

/** Up, refresh and destroy, each as often as it takes; after each, the service and the state agree. */
async function comeAndGo({ workspace, emulator }: EmulatedWorkspace, load: EngineLoad, count: number): Promise<void> {
  const demand = async (what: string, billing: number) => {
    const bills = emulator.state().filter((object) => object.billing);
    const { deployment } = workspace.exportState();
    const held = new Set(deployment.resources.map(({ id }) => id));
    const lost = bills.filter(({ id }) => !held.has(String(id)));
    if (bills.length !== billing) load.failures.push(`after ${what} ${bills.length} bill, not ${billing}`);
    if (lost.length > 0)
      load.failures.push(`after ${what} ${lost.map(({ id }) => id).join(", ")} are not in the state`);
  };
  const run = (what: string, command: () => Promise<Run>) =>
    untilClean(what, load, async () => {
      const { code, output } = await command();
      return code === 0 ? [] : [output.slice(-2000)];
    });
  load.commands.up = await run("up", () => workspace.up("--continue-on-error"));
  await demand("up", count);
  load.commands.refresh = await run("refresh", () => workspace.refresh());
  await demand("refresh", count);
  load.commands.destroy = await run("destroy", () => workspace.destroy("--continue-on-error"));
  await demand("destroy", 0);
  load.requests.disturbed = emulator.requests().total;
}

/** Half of the failing ones only after they have had their effect. */
function everyFifth(count: number, random: () => number): FaultSpec[] {
  const targets = [
    { method: "POST", path: paths.bareMetal },
    { method: "GET", path: paths.bareMetal },
    { method: "POST", path: paths.endBareMetal },
  ];
  return targets.flatMap((match) =>
    Array.from({ length: requestsPerRental * count }, (_, index) => index + 1)
      .filter(() => random() < failing)
      .map((nth): FaultSpec => ({ match, nth, kind: random() < 0.5 ? "reset-before" : "reset-after" })),
  );
}
