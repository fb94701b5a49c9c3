import { isDeepStrictEqual } from "node:util";
import { OperationUnavailableError } from "../../client";
import { listOf, lookUp, recordIdOf, refuseElsewhere } from "../context";
import { describe, findSuccessor, noteTwins, ofTwin } from "../creation";
import type { OperationContext, ResourceDefinition } from "../definition";
import { expiredInState, holdersOf, urnOfHolder } from "../holders";
import {
  asExpired,
  asRentedKey,
  hasExpiry,
  inputsFrom,
  isAsRented,
  isExpired,
  isPastExpiry,
  kept,
  lasting,
  NotYetListedError,
  notExpired,
  RefusedError,
  type Runtime,
  readKey,
  readWhereabouts,
  showExpiry,
  stillUnfinished,
  unresolvedFingerprint,
  type Values,
  type View,
} from "../model";
import { findOrProveGone } from "../waiting";
import { asRented, sayAsRented } from "./asRented";
import { endHeld } from "./delete";
import { findAlive, noteExpired } from "./expired";
import {
  beginWithState,
  byPresentName,
  forgetAbsent,
  refuseForeign,
  rememberState,
  stateOf,
  withErrorContext,
  withRemembered,
} from "./operation";

export interface Found {
  /** Where that has changed: another one has taken its place. */
  id?: string;
  outputs: Values;
  inputs: Values;
}

/** What the service has of it now; undefined when it is gone. */
export function readResource(
  definition: ResourceDefinition,
  runtime: Runtime,
  id: string,
  state: Values,
): Promise<Found | undefined> {
  const context = beginWithState(definition, runtime, state, id);
  const find = async () => {
    if (isFirstLook(state)) return readExisting(definition, runtime, id, state);
    if (isExpired(state)) return readExpired(context, id);
    if (state[readKey] !== true) rememberState(runtime, definition, id, state);
    refuseElsewhere({ definition, runtime }, state);
    const unchanged = { outputs: state, inputs: inputsFrom(definition.inputs.shape, state) };
    if (unresolvedFingerprint(id) !== undefined) {
      runtime.engine.warn(
        await urnOfHolder(context, id),
        "it is still unknown whether this was created. `pulumi up` checks again before it creates another one; `gpufleet recover` names what may be it.",
      );
      return unchanged;
    }
    if (await isToEnd(context, id)) {
      const present = { ...(await byPresentName(context, id)), endsForGood: true };
      if (await endHeld(present, id, state)) {
        runtime.engine.info(
          present.urn,
          `${context.noun} ${id} had expired at ${showExpiry(state)} and was terminated`,
        );
        return expiredForm(context, id, unchanged);
      }
    }
    const finding = await look(context, id);
    if (finding === "unverifiable") return unchanged;
    if (finding === "gone") return whatIsLeft(await byPresentName(context, id), id, unchanged);
    const first = asRented(context, finding, state);
    const drift = driftOf(finding, { ...state, ...first });
    if (state[readKey] !== true) {
      await tell(context, id, finding, drift);
      // Whose name it has now only the state tells, which takes seconds to export: not for nothing.
      if (asRentedKey in first) sayAsRented(await byPresentName(context, id), id, first);
    }
    const inputs = { ...unchanged.inputs, ...drift };
    const carried = { ...lasting(definition.inputs.shape, state), ...(await noteTwins(context, id)) };
    const shown = stateOf({ ...context, inputs }, finding, carried, true);
    // What is only read is never changed or ended by what is kept of it.
    const outputs = state[readKey] === true ? shown : await withRemembered(context, id, shown);
    return { outputs: { ...outputs, ...stillUnfinished(state, finding), ...onlyRead(state) }, inputs };
  };
  return withErrorContext("reading", definition.type, state, find, () => urnOfHolder(context, id));
}

/** Whether the program reads it and no state tells anything of it yet: then there must be one. */
function isFirstLook(state: Values): boolean {
  return state[readKey] === true && readWhereabouts(state) === undefined;
}

function onlyRead(state: Values): Values {
  return state[readKey] === true ? { [readKey]: true } : {};
}

/** What the program reads without managing it. */
async function readExisting(
  definition: ResourceDefinition,
  runtime: Runtime,
  id: string,
  state: Values,
): Promise<Found> {
  const { context, view, inputs } = await findExisting(definition, runtime, id, state);
  return { outputs: { ...stateOf({ ...context, inputs }, view, {}, true), ...onlyRead(state) }, inputs };
}

/** What the service has under this id, of which no state tells anything yet, and the inputs that its record shows. */
export async function findExisting(
  definition: ResourceDefinition,
  runtime: Runtime,
  id: string,
  state: Values,
): Promise<{ context: OperationContext<Values>; view: View; inputs: Values }> {
  const context = beginWithState(definition, runtime, { ...state, ...definition.fromId?.(id) });
  const record = await lookUp(listOf(context), recordIdOf(context, id));
  const view = record && (definition.see?.(record, id, context.inputs, runtime) ?? record);
  if (!view || view.phase === "ended" || (definition.fromId && view.phase !== "ready")) {
    throw new RefusedError(
      `${context.noun} ${id} does not exist at ${runtime.service.addresses[definition.kind.base]}${view ? ` (${view.status})` : ""}. Check the id, the address and the API key.`,
    );
  }
  const shown = Object.entries(view.observedInputs).filter(([, value]) => value !== undefined);
  const inputs = { ...inputsFrom(definition.inputs.shape, context.inputs), ...Object.fromEntries(shown) };
  return { context, view, inputs };
}

/**
 * Whether this run is to end it: a person or a schedule has asked for the end of what has expired. What was replaced shares its URN with
 * what replaced it, so that nobody may have asked for its end: it goes with the next run.
 */
async function isToEnd(context: OperationContext<Values>, id: string): Promise<boolean> {
  const { definition, inputs, runtime } = context;
  if (!runtime.settings.endExpired || definition.post === undefined || !(await hasExpired(runtime, inputs)))
    return false;
  if ((await holdersOf(context, id)).some(({ isReplaced }) => isReplaced)) return false;
  if (await runtime.engine.refreshesAtOnce()) return true;
  runtime.engine.warn(
    context.urn,
    `${context.noun} ${id} expired at ${showExpiry(inputs)} and is not terminated: with GPUFLEET_END_EXPIRED=1 only \`pulumi refresh --yes --skip-preview\` does that, because a preview changes nothing`,
  );
  return false;
}

async function hasExpired({ client, clock }: Runtime, state: Values): Promise<boolean> {
  return state[readKey] !== true && hasExpiry(state) && isPastExpiry(state, await client.serviceTime(), clock.now());
}

function expiredForm({ runtime, type }: OperationContext, id: string, { outputs, inputs }: Found): Found {
  noteExpired(runtime, type, id, outputs);
  return { outputs: asExpired(outputs), inputs };
}

/** What has expired and ended stays as it is, unless it runs after all: a list may have lacked it for too long. */
async function readExpired(context: OperationContext<Values>, id: string): Promise<Found | undefined> {
  const { definition, inputs: state, runtime } = context;
  const alive = await findAlive(context, id);
  if (!alive) {
    noteExpired(runtime, definition.type, id, state);
    return { outputs: state, inputs: inputsFrom(definition.inputs.shape, state) };
  }
  const { urn } = await byPresentName(context, id);
  runtime.engine.warn(urn, `${definition.noun} ${id} counted as expired and ended, but is ${alive.status}`);
  return readResource(definition, runtime, id, notExpired(state));
}

/** Says on the row what `pulumi up` will have to do something about. */
async function tell(context: OperationContext<Values>, id: string, view: View, drift: Values): Promise<void> {
  const { definition, inputs: state } = context;
  const isExpired = definition.isSame && Object.keys(drift).length > 0 ? await expiredInState(context) : () => false;
  const drifted = Object.keys(drift).filter((key) => !definition.isSame?.(key, drift, state, isExpired));
  if (view.phase !== "unrecognized" && drifted.length === 0) return;
  const { noun, runtime, urn } = await byPresentName(context, id);
  if (view.phase === "unrecognized") {
    runtime.engine.warn(urn, `${noun} ${id} has the unknown status "${view.status}"`);
  }
  if (drifted.length > 0) {
    const differ = drifted.length === 1 ? "differs" : "differ";
    runtime.engine.warn(urn, `${drifted.join(", ")} ${differ} from the program; \`pulumi up\` changes that`);
  }
}

/** Kept while something of it still bills, so that the next operation ends that. */
async function whatIsLeft(context: OperationContext<Values>, id: string, unchanged: Found): Promise<Found | undefined> {
  const { definition, noun, runtime, urn } = context;
  if (await definition.leavesBehind?.(context, id, context.inputs)) {
    runtime.engine.warn(
      urn,
      `${noun} ${id} no longer exists, but what was created with it still bills: \`pulumi up\` and \`pulumi destroy\` end that`,
    );
    return { ...unchanged, outputs: { ...context.inputs, status: "Terminated" } };
  }
  const twin = context.inputs[readKey] === true ? undefined : await findSuccessor(context, id);
  if (twin) return inItsPlace(context, id, twin, unchanged);
  runtime.forgetSsh(context.stack, { type: definition.type, id });
  if (await hasExpired(runtime, context.inputs)) {
    runtime.engine.info(urn, `${noun} ${id} has ended, after it expired at ${showExpiry(context.inputs)}`);
    return expiredForm(context, id, unchanged);
  }
  const isOnlyRead = context.inputs[readKey] === true;
  if (!isOnlyRead) await forgetAbsent(context, id);
  const next = isOnlyRead ? "" : "; `pulumi up` creates a new one if the program still has it";
  runtime.engine.warn(urn, `${noun} ${id} no longer exists${next}`);
  return undefined;
}

/** What the same request has made has taken its place: nothing else would tell that it is ours. */
async function inItsPlace(
  context: OperationContext<Values>,
  id: string,
  twin: View,
  { inputs }: Found,
): Promise<Found> {
  const { definition, inputs: state, noun, runtime, urn } = context;
  runtime.engine.warn(
    urn,
    `${noun} ${id} no longer exists. ${describe(context, twin)}, which was created by the same request, has taken its place.`,
  );
  runtime.forgetSsh(context.stack, { type: definition.type, id });
  const { createdAt, expiresAtTime } = state;
  const carried = ofTwin({ ...kept(state), createdAt, expiresAtTime }, state, twin);
  await forgetAbsent(context, id);
  rememberState(runtime, definition, twin.id, state);
  const shown = stateOf({ ...context, inputs }, twin, carried, true);
  const outputs = { ...(await withRemembered(context, twin.id, shown)), ...stillUnfinished(state, twin) };
  return { id: twin.id, outputs, inputs };
}

/** What the record shows otherwise than the state has it, and has not always shown so. A label that is not another's is ours, in whatever way the service writes it. */
function driftOf(view: View, state: Values): Values {
  const { label: _, ...observed } = view.observedInputs;
  return Object.fromEntries(
    Object.entries(observed).filter(
      ([key, value]) =>
        state[key] !== undefined &&
        value !== undefined &&
        !isDeepStrictEqual(state[key], value) &&
        !isAsRented(key, value, state),
    ),
  );
}

async function look(context: OperationContext<Values>, id: string): Promise<View | "gone" | "unverifiable"> {
  const { definition, inputs, runtime } = context;
  const list = listOf(context);
  try {
    const snapshot = await list.latest();
    const record =
      snapshot.find(recordIdOf(context, id), inputs["label"]) ??
      (await findOrProveGone(await byPresentName(context, id), definition, recordIdOf(context, id), inputs));
    if (record === "gone") return "gone";
    // Also of what has ended: the end of somebody else's machine says nothing of ours.
    refuseForeign(context, inputs, record);
    if (record.phase === "ended") return "gone";
    return definition.see?.(record, id, inputs, runtime) ?? record;
  } catch (error) {
    if (error instanceof NotYetListedError) {
      runtime.engine.warn(await urnOfHolder(context, id), `${error.message} The state is kept`);
      return "unverifiable";
    }
    if (!(error instanceof OperationUnavailableError)) throw error;
    runtime.engine.warn(
      await urnOfHolder(context, id),
      `could not be verified: the service has no list of ${list.kind.plural}. The state is kept`,
    );
    return "unverifiable";
  }
}
