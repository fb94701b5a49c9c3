import { z } from "zod";
import { OperationUnavailableError } from "../../client";
import {
  beginOperation,
  checkInputs,
  diffInputs,
  everyResource,
  type HandedOver,
  type Handler,
  inputsFrom,
  isOtherKey,
  isOwnAccount,
  type Operation,
  originKey,
  previewKey,
  RefusedError,
  type Runtime,
  type Values,
  visible,
  WaitFailedError,
  whereaboutsOf,
  whereKey,
  whyElsewhere,
  withErrorContext,
} from "../../lifecycle";
import { readDuration } from "../../shared/duration";
import { fleetNames, fleetOfGate, gateTypes, memberUrn } from "../../shared/fleetNames";
import { messageOf } from "../../shared/messageOf";
import { readOrigin } from "../../shared/urn";
import { EndWait } from "./endWait";
import { type MemberKind, memberDefinitions, memberKind } from "./memberKinds";

/**
 * The second gate of a fleet. The members depend on it, so it is made before them and deleted after them. When the whole fleet is
 * deleted, each member waits only until the service has taken its end, and the delete of this one waits for all of them
 * together: the engine runs only a few deletes at a time.
 */
const type = gateTypes.ended;

const inputs = z.strictObject({
  kind: memberKind.describe("Kind of the members."),
  timeouts: everyResource.timeouts,
});

/** All that its members have ever been. */
const kindsInState = z.object({ kinds: z.array(memberKind).optional(), kind: memberKind.optional() });

function kindsIn(state: Values): MemberKind[] {
  const { kinds = [], kind } = kindsInState.safeParse(state).data ?? {};
  return [...new Set([...kinds, ...(kind ? [kind] : [])])];
}

const { base } = memberDefinitions["bare-metal"].kind;

function outputsOf(runtime: Runtime, news: Values, olds: Values): Values {
  const kinds = [...new Set([...kindsIn(olds), ...kindsIn(news)])];
  return { ...visible(inputsFrom(inputs.shape, news)), kinds, ...whereabouts(runtime) };
}

function whereabouts({ service }: Runtime): Values {
  return { [whereKey]: whereaboutsOf(service, base, {}) };
}

/** Once something of the stack shows that a new key is of the same account, it is this one's, too: nothing else of a fleet may be left in the state later. */
async function withPresentKey(runtime: Runtime, id: string, state: Values): Promise<Values> {
  if (!runtime.isConfigured || whyElsewhere(state, runtime.service, base)) return state;
  const { isSameAccount = false, ...service } = runtime.service;
  if (!isOtherKey(state, service)) return state;
  const isOwn = isSameAccount || (await isOwnAccount(begin(runtime, state, id)).catch(() => false));
  return isOwn ? { ...state, ...whereabouts(runtime) } : state;
}

/** What a killed destroy has left is in no state, and no list of another account shows it. */
async function refuseOtherAccount(operation: Operation, state: Values): Promise<void> {
  const { service, settings } = operation.runtime;
  if (!isOtherKey(state, service) || settings.confirmGone || (await isOwnAccount(operation))) return;
  throw new RefusedError(
    "the API key is not the one with which the fleet was rented, and no list shows that it is of the same account: members that still bill may not be listed. Use the former key; or, if both are keys of one account, run this once with GPUFLEET_SAME_ACCOUNT=1; or, if all members are gone, with GPUFLEET_CONFIRM_GONE=1.",
  );
}

function begin(runtime: Runtime, state: Values, id?: string): Operation {
  const given = everyResource.timeouts.safeParse(state["timeouts"]).data;
  const time = readDuration(given?.delete ?? memberDefinitions["bare-metal"].timeouts.delete) ?? 0;
  return beginOperation(runtime, { type, noun: "fleet" }, state[originKey], time, id);
}

/**
 * Whether an earlier run may have ended members: the first gate goes before them, and is neither deleted by this run nor in the state that
 * it began with. Its fleet may also never have come up.
 */
async function mayHaveLost({ runtime, stack, urn }: Operation): Promise<boolean> {
  const ready = memberUrn(urn, gateTypes.ready, fleetNames.ready(fleetOfGate(urn)));
  if (runtime.memory.wasGateDeleted(ready)) return false;
  const entries = await runtime.state.entries(stack);
  return !entries?.some((entry) => entry.urn === ready);
}

/** Waits until nothing of the fleet bills any more; the gate stays in the state, and names it, while something does. */
async function waitForEnds(operation: Operation, state: Values): Promise<void> {
  const { memory } = operation.runtime;
  const isUntold = await mayHaveLost(operation);
  do {
    const handed = memory.takeHandedOver(operation.urn);
    const kinds = new Set([
      ...kindsIn(state).map((kind) => memberDefinitions[kind].type),
      ...handed.map((one) => one.type),
    ]);
    const waits = [...kinds].map((kind) =>
      waitForKind(
        operation,
        kind,
        handed.filter((one) => one.type === kind),
        isUntold,
      ),
    );
    const errors = (await Promise.allSettled(waits)).flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    // Each names what it has waited for.
    if (errors.length > 1) throw new WaitFailedError([...new Set(errors.map(messageOf))].join(" "));
    if (errors.length === 1) throw errors[0];
  } while (!memory.closeGate(operation.urn));
}

async function waitForKind(
  operation: Operation,
  memberType: string,
  handed: readonly HandedOver[],
  isUntold: boolean,
): Promise<void> {
  const member = Object.values(memberDefinitions).find((definition) => definition.type === memberType);
  if (!member) return;
  try {
    await new EndWait(operation, member, handed, isUntold).run();
  } catch (error) {
    // Without a list nothing was handed over: each member has waited itself, as far as that can be done.
    if (!(error instanceof OperationUnavailableError && handed.length === 0)) throw error;
  }
}

export const fleetEnded: Handler = {
  type,
  inputs,
  check: (runtime, _olds, { [previewKey]: _, ...news }) => {
    runtime.memory.rememberProgram(readOrigin(news[originKey]).urn);
    return checkInputs(type, inputs, news);
  },
  diff: (_runtime, _id, olds, news) => diffInputs({ inputs, inPlace: new Set(Object.keys(inputs.shape)) }, olds, news),
  create: (runtime, values) =>
    withErrorContext("creating", type, values, async () => ({
      id: begin(runtime, values).name,
      outputs: outputsOf(runtime, values, {}),
    })),
  update: (runtime, _id, olds, news) =>
    withErrorContext("updating", type, news, async () => outputsOf(runtime, news, olds)),
  read: async (runtime, id, state) => ({
    inputs: inputsFrom(inputs.shape, state),
    outputs: await withPresentKey(runtime, id, state),
  }),
  delete: (runtime, id, state) =>
    withErrorContext("deleting", type, state, async () => {
      const reason = whyElsewhere(state, runtime.service, base);
      if (reason) throw new RefusedError(reason);
      const operation = begin(runtime, state, id);
      await refuseOtherAccount(operation, state);
      await waitForEnds(operation, state);
    }),
};
