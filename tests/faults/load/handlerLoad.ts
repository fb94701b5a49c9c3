import { type Transport, TransportError } from "../../../provider/client";
import { FakeEngine, type Outcome, type Program } from "../../lifecycle/fakeEngine";
import { createRig, type Rig, seededRandom } from "../../lifecycle/rig";
import { emptyTally, type Tally } from "../schedules/tally";

/** How many of the requests fail. */
export const failing = 0.2;
const mostAttempts = 6;
const mostTimesRequests = 3;

/** Many rentals come up, refresh and go down, first undisturbed, then with every fifth request failing. */
export async function playLoad({ count, seed }: { count: number; seed: number }): Promise<Tally> {
  const tally = emptyTally();
  const undisturbed = await comeAndGo(createRig(), count, tally);
  const disturbed = await comeAndGo(createRig(), count, tally, flaky(seededRandom(seed)));
  demandFewRequests(tally, { undisturbed, disturbed });
  return tally;
}

type Failures = Pick<Tally, "failures">;

export function demandFewRequests(
  { failures }: Failures,
  { undisturbed, disturbed }: { undisturbed: number; disturbed: number },
): void {
  if (disturbed < mostTimesRequests * undisturbed) return;
  failures.push(`${disturbed} requests came, which is not under ${mostTimesRequests} × ${undisturbed}`);
}

/** Half of those that fail do so only after they have had their effect. */
function flaky(random: () => number): (transport: Transport) => Transport {
  return (transport) => async (request) => {
    if (random() >= failing) return transport(request);
    if (random() < 0.5) throw new TransportError("the connection was reset", { sent: "maybe" });
    await transport(request);
    throw new TransportError("the connection was reset", { sent: "maybe" });
  };
}

/** How many requests came to the service. After each command the service and the state agree. */
async function comeAndGo(
  rig: Rig,
  count: number,
  tally: Tally,
  wire?: (transport: Transport) => Transport,
): Promise<number> {
  const stack = new FakeEngine(rig);
  const provider = () => rig.startProvider({}, wire ? { wire } : {});
  const demand = (what: string, expected: number) => {
    const held = new Set(Array.from(stack.state.values(), ({ id }) => Number(id)));
    const bills = rig.billing().map(Number);
    const agree = held.size === bills.length && bills.every((id) => held.has(id));
    if (bills.length !== expected || !agree) {
      tally.failures.push(`after ${what} ${bills.length} bill and ${held.size} are in the state, not ${expected}`);
    }
  };
  const run = async (what: string, command: () => Promise<Outcome>) =>
    untilClean(what, tally, async () => Object.values((await command()).errors));
  await run("up", () => stack.up(programOf(count), { provider: provider() }));
  demand("up", count);
  await run("refresh", () => stack.refresh(provider()));
  demand("refresh", count);
  await run("destroy", () => stack.destroy({ provider: provider() }));
  demand("destroy", 0);
  tally.schedules += 1;
  return rig.emulator.requests().total;
}

function programOf(count: number): Program {
  const rental = { type: "BareMetalRental", inputs: { networkType: "infiniband", gpuCount: 8 } };
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`node-${index}`, rental]));
}

/**
 * A request that was cut off before it had any effect leaves an unresolved create: the next run resolves it. `run` gives the errors;
 * the answer is how many runs it took.
 */
export async function untilClean(
  what: string,
  { failures }: Failures,
  run: () => Promise<readonly string[]>,
): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const errors = await run();
    if (errors.length === 0) return attempt;
    if (attempt < mostAttempts) continue;
    failures.push(`${what} still fails ${errors.length} times after ${attempt} runs: ${errors[0]}`);
    return attempt;
  }
}
