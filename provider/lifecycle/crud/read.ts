import { isDeepStrictEqual } from "node:util";
import { OperationUnavailableError } from "../../client";
import { finder, listOf } from "../context";
import type { OperationContext, ResourceDefinition } from "../definition";
import {
  inputsFrom,
  lasting,
  outputsOf,
  phaseOf,
  type Runtime,
  stillUnfinished,
  unresolvedFingerprint,
  type Values,
  type View,
} from "../model";
import { confirmGone } from "../waiting";
import { beginWithState, rememberState, withErrorContext } from "./operation";

export interface Found {
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
  return withErrorContext("reading", definition.type, state, async () => {
    rememberState(runtime, definition.type, id, state);
    const unchanged = { outputs: state, inputs: inputsFrom(definition.inputs.shape, state) };
    if (unresolvedFingerprint(id) !== undefined) return unchanged;
    const context = beginWithState(definition, runtime, state);
    const finding = await look(context, id);
    if (finding === "unverifiable") return unchanged;
    if (finding === "gone") {
      const leftover = await definition.leavesBehind?.(context, id, state);
      // Kept, so that the next operation ends what is left of it.
      return leftover ? { ...unchanged, outputs: { ...state, status: "Terminated" } } : undefined;
    }
    if (finding.phase === "unrecognized") {
      runtime.engine.warn(
        context.urn,
        `${context.noun} ${id} has the status "${finding.status}", which is unknown here`,
      );
    }
    const inputs = { ...unchanged.inputs, ...drift(finding, state) };
    const outputs = outputsOf(inputs, finding, runtime.clock.now(), lasting(definition.inputs.shape, state));
    return { outputs: { ...outputs, ...stillUnfinished(state, finding) }, inputs };
  });
}

/** What the record shows otherwise than the state has it. */
function drift(view: View, state: Values): Values {
  return Object.fromEntries(
    Object.entries(view.observedInputs).filter(
      ([key, value]) => state[key] !== undefined && value !== undefined && !isDeepStrictEqual(state[key], value),
    ),
  );
}

async function look(context: OperationContext<Values>, id: string): Promise<View | "gone" | "unverifiable"> {
  const { definition, type, inputs } = context;
  const { engine, memory } = context.runtime;
  const list = listOf(context);
  const find = finder(context, id);
  try {
    const first = await list.latest();
    const seen = find(first);
    if (seen) return seen.phase === "ended" ? "gone" : seen;
    // One list may have lagged behind, or be older than the resource: only a second one makes it gone.
    const second = await list.after(first.sequence, 0);
    const view = find(second);
    if (view) return view.phase === "ended" ? "gone" : view;
    const wasReady = phaseOf(String(inputs["status"]), list.kind.statuses) === "ready";
    const wasListed = () => wasReady || memory.wasListed(type, id);
    const worthWaiting = definition.post !== undefined;
    return await confirmGone(context, list, second, { find, wasListed, worthWaiting });
  } catch (error) {
    if (!(error instanceof OperationUnavailableError)) throw error;
    engine.warn(
      context.urn,
      `it could not be verified, because the service has no list of ${list.kind.plural}; the state is kept`,
    );
    return "unverifiable";
  }
}
