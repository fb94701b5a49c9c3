import { z } from "zod";
import { OperationUnavailableError } from "../../client";
import {
  beginWork,
  checkInputs,
  everyMachine,
  type Handler,
  type Kind,
  messageOf,
  originKey,
  PartialStateError,
  phaseOf,
  type Runtime,
  roundUsd,
  type Snapshot,
  type Values,
  visible,
  WaitTimeoutError,
  type Work,
} from "../../lifecycle";
import { diffInputs } from "../../lifecycle/crud/diff";
import { attempt } from "../../lifecycle/crud/operation";
import { inputsFrom } from "../../lifecycle/model/state";
import { readDuration } from "../../shared/duration";
import { bareMetalRentals } from "../bareMetalRental/record";
import { storageVolumes } from "../storageVolume/record";
import { vmRentals } from "../vmRental/record";
import { endMember, keepWithinLimit } from "./limit";
import {
  costOf,
  describeMembers,
  factsOf,
  hasFailed,
  isAwaited,
  type KnownStatuses,
  type Member,
  membersIn,
} from "./members";
import { waitForGreetings, waitForMembers } from "./wait";

/**
 * The gate of a fleet. The engine runs only a few operations at a time, so members that each wait for themselves would take
 * many provisioning times. They are made without waiting, and this one resource waits for all of them with one list per tick.
 */
const type = "FleetReady";

const inputs = z.strictObject({
  kind: z.enum(["bare-metal", "vm"]).describe("What the members are."),
  rentals: z
    .array(z.strictObject({ name: z.string(), id: z.string() }))
    .min(1)
    .describe("The members, by name and id."),
  storageVolumeId: z.int().positive().optional().describe("The volume that the members share."),
  maxCostPerHour: everyMachine.maxCostPerHour,
  waitForReady: everyMachine.waitForReady,
  waitForSsh: everyMachine.waitForSsh,
  timeouts: everyMachine.timeouts,
});
type Inputs = z.output<typeof inputs>;

interface MemberKind {
  type: string;
  list: Kind<unknown>;
  rentalType: "bare-metal" | "virtual-machine";
  timeout: string;
}

const memberKinds: Record<Inputs["kind"], MemberKind> = {
  "bare-metal": { type: "BareMetalRental", list: bareMetalRentals, rentalType: "bare-metal", timeout: "45m" },
  vm: { type: "VmRental", list: vmRentals, rentalType: "virtual-machine", timeout: "20m" },
};

function begin(runtime: Runtime, values: Values): Work<Inputs> {
  const parsed = inputs.parse(inputsFrom(inputs.shape, values));
  const time = readDuration(parsed.timeouts?.create ?? memberKinds[parsed.kind].timeout) ?? 0;
  return beginWork(runtime, { type, noun: "fleet" }, values[originKey], parsed, time);
}

/** Brings the fleet to where it should be. Whatever goes wrong, what is known of its members goes into the state. */
async function settle(work: Work<Inputs>, known: KnownStatuses): Promise<Values> {
  const { rentals, kind, waitForReady, waitForSsh, maxCostPerHour } = work.inputs;
  const { list: listed, rentalType } = memberKinds[kind];
  const awaited = ({ id }: Member) => isAwaited(id, known, listed.statuses);
  let members = membersIn(rentals, known);
  let volume = 0;
  const look = (snapshot: Snapshot<unknown>) => {
    members = membersIn(rentals, known, snapshot);
    return members;
  };
  try {
    volume = await volumeCost(work);
    if (waitForReady) await waitForMembers(work, { kind: listed, look, isAwaited: awaited });
    else await lookOnce(work, look);
    const fresh = members.filter(awaited);
    if (waitForReady && waitForSsh) await waitForGreetings(work, fresh);
    await keepWithinLimit(work, { maxCostPerHour, volume, members, fresh }, (member) =>
      endMember(work, listed, rentalType, member),
    );
    warnOfFailed(work, members);
  } catch (error) {
    if (!(error instanceof OperationUnavailableError)) {
      throw new PartialStateError(failure(error), work.name, outputsOf(work.inputs, members, volume), { cause: error });
    }
    work.runtime.engine.warn(work.urn, `whether its members are ready cannot be told: ${error.message}`);
  }
  return outputsOf(work.inputs, members, volume);
}

async function lookOnce({ runtime, inputs }: Work<Inputs>, look: (snapshot: Snapshot<unknown>) => void): Promise<void> {
  const list = runtime.lists.of(memberKinds[inputs.kind].list);
  look(await list.after(list.mark(), 0));
}

/** Members that were ready once are not waited for; what has become of them since is healed by a refresh. */
function warnOfFailed(work: Work<Inputs>, members: readonly Member[]): void {
  const failed = members.filter(hasFailed);
  if (failed.length === 0) return;
  work.runtime.engine.warn(work.urn, `${describeMembers(failed)}. \`pulumi up --refresh\` replaces what has failed`);
}

function failure(error: unknown): string {
  const next =
    error instanceof WaitTimeoutError
      ? "Run `pulumi up` again to go on waiting, or raise timeouts.create."
      : "`pulumi up --refresh` replaces what has failed and leaves the others as they are.";
  return `${messageOf(error).replace(/\.$/, "")}. ${next} All members are in the state; \`pulumi destroy\` ends them.`;
}

async function volumeCost(work: Work<Inputs>): Promise<number> {
  const { storageVolumeId } = work.inputs;
  if (storageVolumeId === undefined) return 0;
  const list = work.runtime.lists.of(storageVolumes);
  const find = (snapshot: Snapshot<unknown>) => snapshot.find(String(storageVolumeId));
  const volume = find(await list.any()) ?? find(await list.after(list.mark(), 0));
  return volume?.costPerHour ?? 0;
}

function outputsOf(given: object, members: readonly Member[], volume: number): Values {
  return { ...visible({ ...given }), members: members.map(factsOf), costPerHour: roundUsd(costOf(members) + volume) };
}

const membersInState = z.array(z.looseObject({ id: z.string(), status: z.string() }));

function statusesIn(state: Values): KnownStatuses {
  const members = membersInState.safeParse(state["members"]).data ?? [];
  return new Map(members.map(({ id, status }) => [id, status]));
}

/** Members do not wait, so their own states do not tell that a list has shown them; the gate's does. */
function vouchForMembers({ runtime, inputs: { kind } }: Work<Inputs>, known: KnownStatuses): void {
  const { type: memberType, list } = memberKinds[kind];
  for (const [id, status] of known) {
    if (phaseOf(status, list.statuses) === "ready") runtime.memory.noteListed(memberType, id);
  }
}

export const fleetReady: Handler = {
  type,
  inputs,
  check: (_runtime, _olds, news) => checkInputs(type, inputs, news),
  diff: (_runtime, _id, olds, news) => diffInputs({ inputs, inPlace: new Set(Object.keys(inputs.shape)) }, olds, news),
  create: (runtime, values) =>
    attempt("creating", type, values, async () => {
      const work = begin(runtime, values);
      return { id: work.name, outputs: await settle(work, new Map()) };
    }),
  update: (runtime, _id, olds, news) =>
    attempt("updating", type, news, () => settle(begin(runtime, news), statusesIn(olds))),
  read: (runtime, _id, state) =>
    attempt("reading", type, state, async () => {
      const kept = inputsFrom(inputs.shape, state);
      // Whatever another version wrote: nothing hangs on the gate, so it never stands in the way.
      if (!inputs.safeParse(kept).success) return { inputs: kept, outputs: state };
      const work = begin(runtime, state);
      vouchForMembers(work, statusesIn(state));
      try {
        const snapshot = await runtime.lists.of(memberKinds[work.inputs.kind].list).any();
        const members = membersIn(work.inputs.rentals, statusesIn(state), snapshot);
        return { inputs: kept, outputs: outputsOf(kept, members, await volumeCost(work)) };
      } catch (error) {
        if (!(error instanceof OperationUnavailableError)) throw error;
        return { inputs: kept, outputs: state };
      }
    }),
  /** There is nothing of it but its members, and they end themselves. */
  delete: async () => {},
};
