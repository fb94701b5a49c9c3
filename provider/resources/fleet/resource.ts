import { z } from "zod";
import { OperationUnavailableError } from "../../client";
import {
  beginOperation,
  beginWithState,
  type Costly,
  checkInputs,
  diffInputs,
  endAndWait,
  endResource,
  endTwins,
  everyMachine,
  expiredStatus,
  forecastFleet,
  type Handler,
  hasLimit,
  inputsFrom,
  isToBeChecked,
  type Operation,
  originKey,
  PartialStateError,
  previewKey,
  RefusedError,
  type ResourceDefinition,
  type Runtime,
  type Snapshot,
  sayExpiredMembers,
  showSum,
  type Values,
  WaitFailedError,
  WaitTimeoutError,
  whereaboutsOf,
  whereKey,
  whyElsewhere,
  withErrorContext,
} from "../../lifecycle";
import { readDuration } from "../../shared/duration";
import { fleetUrn, gateTypes } from "../../shared/fleetNames";
import { messageOf } from "../../shared/messageOf";
import { isSameUrn } from "../../shared/typeToken";
import { readOrigin } from "../../shared/urn";
import { storageVolumes } from "../storageVolume";
import { keepWithinLimits } from "./limit";
import { memberDefinitions, memberKind } from "./memberKinds";
import {
  arePriced,
  asEnded,
  costsOf,
  countReady,
  describeMembers,
  hasFailed,
  isAwaited,
  isBilling,
  isOver,
  isReady,
  type KnownMembers,
  type Member,
  membersIn,
} from "./members";
import { readMembers } from "./readMembers";
import { keepingOpen, knownIn, type Open, openIn, outputsOf } from "./state";
import { describeProblems, waitForGpusOf, waitForGreetings, waitForMembers } from "./wait";

/**
 * The gate of a fleet. The engine runs only a few operations at a time, so members that each wait for themselves would take
 * many provisioning times. They are made without waiting, and this one resource waits for all of them with one list per tick.
 */
const type = gateTypes.ready;

const inputs = z.strictObject({
  kind: memberKind.describe("Kind of the members."),
  rentals: z.array(z.strictObject({ name: z.string(), id: z.string() })).describe("Members, by name and id."),
  minCount: z.int().positive().optional().describe("Number of members that must be ready; all, if left out."),
  storageVolumeId: z.int().positive().optional().describe("Id of the shared volume."),
  maxCostPerHour: everyMachine.maxCostPerHour,
  waitForReady: everyMachine.waitForReady,
  waitForSsh: everyMachine.waitForSsh,
  waitForGpus: everyMachine.waitForGpus,
  timeouts: everyMachine.timeouts,
});
type Inputs = z.output<typeof inputs>;

/** One operation on the gate of a fleet. */
interface GateOperation extends Operation {
  inputs: Inputs;
  /** What its members are. */
  member: ResourceDefinition;
}

function begin(runtime: Runtime, values: Values, id?: string): GateOperation {
  const parsed = inputs.parse(inputsFrom(inputs.shape, values));
  const member = memberDefinitions[parsed.kind];
  const time = readDuration(parsed.timeouts?.create ?? member.timeouts.create) ?? 0;
  const operation = beginOperation(runtime, { type, noun: "fleet" }, values[originKey], time, id);
  return { ...operation, inputs: parsed, member };
}

/** Brings the fleet to where it should be. Whatever goes wrong, what is known of its members goes into the state. */
async function bringToReady(operation: GateOperation, olds: Values, before: Open = openIn(olds)): Promise<Values> {
  const { rentals, waitForReady, maxCostPerHour } = operation.inputs;
  const { kind, type: memberType } = operation.member;
  // The members were compared before their gate, in this very process.
  const known = {
    known: knownIn(olds, kind.statuses),
    isExpired: (id: string) => operation.runtime.memory.isExpired(memberType, id),
  };
  const minCount = reachable(operation.inputs, known);
  const awaited = ({ id }: Member) => isAwaited(id, known, kind.statuses);
  let members = membersIn(rentals, known);
  let volume: Costly = {};
  const { isUnfinished, isUnpriced } = before;
  const open: Open = { isUnfinished, isUnpriced: hasLimit(operation) };
  const look = (snapshot: Snapshot<unknown>) => {
    members = membersIn(rentals, known, snapshot);
    return members;
  };
  try {
    volume = await volumeCost(operation);
    if (waitForReady)
      await waitForMembers(operation, { definition: operation.member, minCount, look, isAwaited: awaited });
    else await lookOnce(operation, look);
    // Lists may have lagged when it was created.
    if (volume.costPerHour === undefined) volume = await volumeCost(operation);
    open.isUnfinished = true;
    await checkMembers(
      operation,
      members.filter((member) => (isUnfinished || awaited(member)) && isReady(member)),
    );
    open.isUnfinished = false;
    const { memory } = operation.runtime;
    const fresh = members.filter(({ id }) => memory.wasMadeHere(operation.member.type, id));
    const isLate = isUnpriced && arePriced(members);
    const cost = { type: memberType, maxCostPerHour, volume: volume.costPerHour, members, fresh, isLate };
    await keepWithinLimits(operation, cost, async ({ id }) => {
      // The state of another resource holds it: the next refresh finds it gone.
      await endMember(operation, id);
      members = members.map((member) => (member.id === id ? asEnded(member) : member));
    });
    open.isUnpriced &&= !arePriced(members);
    warnOfMissing(operation, members);
  } catch (error) {
    if (!(error instanceof OperationUnavailableError)) {
      throw new PartialStateError(
        failure(error, members),
        operation.name,
        { ...outputsOf(operation.inputs, members, volume), ...keepingOpen(open), ...whereabouts(operation) },
        { cause: error },
      );
    }
    operation.runtime.engine.warn(operation.urn, `could not check whether its members are ready: ${error.message}`);
  }
  return {
    ...outputsOf(operation.inputs, members, volume),
    ...keepingOpen({ ...open, isUnfinished: false }),
    ...whereabouts(operation),
  };
}

/** Whether an earlier run has made members of which no gate has ever looked at the price: it did not get as far as that. */
async function wasNeverChecked(operation: GateOperation): Promise<boolean> {
  const { member, runtime, stack, urn } = operation;
  if (!hasLimit(operation)) return false;
  if (operation.inputs.rentals.every(({ id }) => runtime.memory.isClaimed(member.type, id))) return false;
  const gate = (await runtime.state.entries(stack))?.find((entry) => isSameUrn(entry.urn, urn));
  return gate === undefined || openIn(gate.outputs).isUnpriced;
}

/** Ends a member as its own delete would, with what was created along with it. That needs what the state has of it since a moment ago. */
async function endMember(operation: GateOperation, id: string): Promise<void> {
  const { member, runtime, stack } = operation;
  const entries = (await runtime.state.entries(stack, { now: true })) ?? [];
  const entry = entries.find((one) => one.type === member.type && one.id === id);
  if (!entry) return endAndWait(operation, member, id);
  const context = { ...beginWithState(member, runtime, entry.outputs, id), isUndoing: true };
  await endTwins(context, id);
  await endResource(context, id, entry.outputs);
}

/** By what a refresh tells that it is not asked elsewhere. */
function whereabouts({ member, runtime }: GateOperation): Values {
  return { [whereKey]: whereaboutsOf(runtime.service, member.kind.base, {}) };
}

/** The same as the state has it. */
function whereIn({ [whereKey]: where }: Values): Values {
  return where === undefined ? {} : { [whereKey]: where };
}

/** How many will do: what has expired is not waited for. */
function reachable({ minCount, rentals }: Inputs, { isExpired }: KnownMembers): number | undefined {
  const living = rentals.filter(({ id }) => !isExpired(id)).length;
  return minCount === undefined ? undefined : Math.min(minCount, living);
}

/** Whether ssh answers on these, and whether their GPUs are there. */
async function checkMembers(operation: GateOperation, ready: readonly Member[]): Promise<void> {
  const { waitForReady, waitForSsh, waitForGpus, minCount } = operation.inputs;
  if (!waitForReady) return;
  if (waitForSsh || waitForGpus) await waitForGreetings(operation, ready);
  if (!waitForGpus) return;
  const problems = await waitForGpusOf(operation, operation.member.type, ready);
  if (problems.length === 0) return;
  const reason = describeProblems(problems);
  if (minCount === undefined || operation.inputs.rentals.length - problems.length < minCount) {
    throw new WaitFailedError(reason);
  }
  operation.runtime.engine.warn(operation.urn, `up without some GPUs, as minCount ${minCount} allows. ${reason}`);
}

async function lookOnce(
  { runtime, member }: GateOperation,
  look: (snapshot: Snapshot<unknown>) => void,
): Promise<void> {
  look(await runtime.lists.of(member.kind).fresh());
}

/** Members that were ready once are not waited for, nor are all where fewer will do; a refresh heals what has become of them. */
function warnOfMissing(operation: GateOperation, members: readonly Member[]): void {
  const { minCount, waitForReady } = operation.inputs;
  const isEnough = waitForReady && minCount !== undefined;
  const living = members.filter((member) => !isOver(member));
  const missing = living.filter((member) => hasFailed(member) || (isEnough && !isReady(member)));
  if (missing.length === 0) return;
  const up = isEnough ? `up with ${countReady(operation.member.kind, members)}, as minCount ${minCount} allows. ` : "";
  operation.runtime.engine.warn(
    operation.urn,
    `${up}${describeMembers(missing)}. \`pulumi up --refresh\` replaces failed members`,
  );
}

function failure(error: unknown, members: readonly Member[]): string {
  const billing = members.filter(isBilling);
  const next = [
    ...(billing.length > 0 ? [`${billing.length} of ${members.length} bill now: ${showSum(costsOf(billing))}.`] : []),
    wayOut(error),
    "All members are in the state; `pulumi destroy` terminates them.",
  ];
  return `${messageOf(error).replace(/\.$/, "")}. ${next.join(" ")}`;
}

function wayOut(error: unknown): string {
  if (error instanceof RefusedError) return "The next `pulumi up` checks it again.";
  return error instanceof WaitTimeoutError
    ? "Run `pulumi up` again to continue waiting, raise timeouts.create, or accept fewer with minCount."
    : "`pulumi up --refresh` replaces failed members and leaves the others alone; minCount accepts fewer.";
}

async function volumeCost(operation: GateOperation): Promise<Costly> {
  const { storageVolumeId } = operation.inputs;
  if (storageVolumeId === undefined) return { costPerHour: 0 };
  const list = operation.runtime.lists.of(storageVolumes);
  const find = (snapshot: Snapshot<unknown>) => snapshot.find(String(storageVolumeId));
  return find(await list.latest()) ?? find(await list.fresh()) ?? {};
}

/** Whether a member has expired and ended that the gate still has as running: the members were compared before it, in this process. */
function hasExpiredSince({ memory }: Runtime, state: Values): boolean {
  const kind = memberKind.safeParse(state["kind"]).data;
  if (kind === undefined) return false;
  const { type: memberType, kind: rentals } = memberDefinitions[kind];
  return [...knownIn(state, rentals.statuses)].some(
    ([id, { status }]) => status !== expiredStatus && memory.isExpired(memberType, id),
  );
}

export const fleetReady: Handler = {
  type,
  inputs,
  outputs: ["members", "costPerHour"],
  check: (runtime, _olds, { [previewKey]: isPreview, ...news }) => {
    const { urn } = readOrigin(news[originKey]);
    runtime.memory.rememberProgram(urn);
    const { inputs: checked, failures } = checkInputs(type, inputs, news);
    sayExpiredMembers(runtime, { gate: urn, row: fleetUrn(urn) });
    if (isPreview !== true || failures.length > 0) return { inputs: checked, failures };
    const { maxCostPerHour } = news;
    return { inputs: checked, failures: forecastFleet(runtime, { gate: urn, row: fleetUrn(urn), maxCostPerHour }) };
  },
  diff: (runtime, _id, olds, news) => {
    const diff = diffInputs({ inputs, inPlace: new Set(Object.keys(inputs.shape)) }, olds, news);
    const isOpen = openIn(olds).isUnfinished || isToBeChecked(olds);
    return { ...diff, changes: diff.changes || isOpen || hasExpiredSince(runtime, olds) };
  },
  create: (runtime, values) =>
    withErrorContext("creating", type, values, async () => {
      const operation = begin(runtime, values);
      const open = { isUnfinished: false, isUnpriced: await wasNeverChecked(operation) };
      return { id: operation.name, outputs: await bringToReady(operation, {}, open) };
    }),
  update: (runtime, _id, olds, news) =>
    withErrorContext("updating", type, news, () => bringToReady(begin(runtime, news), olds)),
  read: (runtime, id, state) =>
    withErrorContext("reading", type, state, async () => {
      const kept = inputsFrom(inputs.shape, state);
      // Whatever another version wrote: nothing hangs on the gate, so it never stands in the way.
      if (!inputs.safeParse(kept).success) return { inputs: kept, outputs: state };
      const operation = begin(runtime, state, id);
      const { member } = operation;
      if (whyElsewhere(state, runtime.service, member.kind.base)) return { inputs: kept, outputs: state };
      try {
        const snapshot = await runtime.lists.of(member.kind).latest();
        const { rentals } = operation.inputs;
        const members = await readMembers(operation, { member, rentals, state }, snapshot);
        const outputs = outputsOf(kept, members, await volumeCost(operation));
        return { inputs: kept, outputs: { ...outputs, ...keepingOpen(openIn(state)), ...whereIn(state) } };
      } catch (error) {
        if (!(error instanceof OperationUnavailableError)) throw error;
        return { inputs: kept, outputs: state };
      }
    }),
  /** There is nothing of it but its members, and they end themselves. That it went first tells them that the whole fleet goes. */
  delete: async (runtime, _id, state) => runtime.memory.noteGateDeleted(readOrigin(state[originKey]).urn),
};
