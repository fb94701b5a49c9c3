import type { Transport } from "../../provider/client";
import { TransportError } from "../../provider/client/errors/transportError";
import { createRig, type Rig, seededRandom } from "../lifecycle/rig";
import { type Outcome, type Program, Stack } from "../lifecycle/stack";

jest.setTimeout(300_000);

const count = 1000;
const program: Program = Object.fromEntries(
  Array.from({ length: count }, (_, index) => [
    `node-${index}`,
    { type: "BareMetalRental", inputs: { networkType: "infiniband", gpuCount: 8 } },
  ]),
);

/** Every fifth request fails, half of them only after they have had their effect. */
function flaky(random: () => number): (transport: Transport) => Transport {
  return (transport) => async (request) => {
    if (random() >= 0.2) return transport(request);
    if (random() < 0.5) throw new TransportError("the connection was reset", { sent: "maybe" });
    await transport(request);
    throw new TransportError("the connection was reset", { sent: "maybe" });
  };
}

/** A request that was cut off before it had any effect leaves a create in doubt: the next `up` settles it. */
async function untilClean(run: () => Promise<Outcome>): Promise<void> {
  let failed: string[] = [];
  for (let attempt = 0; attempt < 6; attempt += 1) {
    failed = Object.keys((await run()).errors);
    if (failed.length === 0) return;
  }
  throw new Error(`still failing: ${failed.join(", ")}`);
}

async function comeAndGo(rig: Rig, wire?: (transport: Transport) => Transport): Promise<number> {
  const stack = new Stack(rig);
  const provider = () => rig.startProvider({}, wire ? { wire } : {});
  await untilClean(() => stack.up(program, { provider: provider() }));
  expect(rig.billing()).toHaveLength(count);
  expect(new Set(Array.from(stack.state.values(), ({ id }) => Number(id)))).toEqual(new Set(rig.billing()));
  await untilClean(() => stack.refresh(provider()));
  expect(stack.state.size).toBe(count);
  await untilClean(() => stack.destroy({ provider: provider() }));
  expect(rig.billing()).toEqual([]);
  expect(stack.state.size).toBe(0);
  return rig.emulator.requests().total;
}

test(`${count} rentals come up, refresh and go down with every fifth request failing: nothing lost, under 3× the requests`, async () => {
  const undisturbed = await comeAndGo(createRig());
  const disturbed = await comeAndGo(createRig(), flaky(seededRandom(7)));
  expect(disturbed).toBeLessThan(3 * undisturbed);
});
