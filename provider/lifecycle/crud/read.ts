import { isDeepStrictEqual } from "node:util";
import { OperationUnavailableError } from "../../client";
import type { LifecycleInputs, ResourceDefinition } from "../definition";
import type { Work } from "../model/context";
import type { Runtime } from "../model/runtime";
import { inputsFrom, lasting, outputsOf, stillUnfinished } from "../model/state";
import { unresolvedTrace } from "../model/unresolvedId";
import { phaseOf, type View } from "../model/view";
import { settleMissing } from "../waiting/missing";
import type { Values } from "./check";
import { attempt, beginWithState, finder, rememberState } from "./operation";

export interface Found {
  outputs: Values;
  inputs: Values;
}

/** What the service has of it now; undefined when it is gone. */
export function readResource<Inputs extends LifecycleInputs, Item>(
  definition: ResourceDefinition<Inputs, Item>,
  runtime: Runtime,
  id: string,
  state: Values,
): Promise<Found | undefined> {
  return attempt("reading", definition.type, state, async () => {
    rememberState(runtime, definition.type, id, state);
    const unchanged = { outputs: state, inputs: inputsFrom(definition.inputs.shape, state) };
    if (unresolvedTrace(id) !== undefined) return unchanged;
    const work = beginWithState(definition, runtime, state);
    const finding = await look(definition, work, id);
    if (finding === "unverifiable") return unchanged;
    if (finding === "gone") {
      const leftover = await definition.leavesBehind?.(work, id, state);
      // Kept, so that the next operation ends what is left of it.
      return leftover ? { ...unchanged, outputs: { ...state, status: "Terminated" } } : undefined;
    }
    if (finding.phase === "unheard") {
      runtime.engine.warn(work.urn, `${work.noun} ${id} has the status "${finding.status}", which is unknown here`);
    }
    const inputs = { ...unchanged.inputs, ...drift(finding, state) };
    const outputs = outputsOf(inputs, finding, runtime.clock.now(), lasting(definition.inputs.shape, state));
    return { outputs: { ...outputs, ...stillUnfinished(state, finding) }, inputs };
  });
}

/** What the record shows otherwise than the state has it. */
function drift(view: View, state: Values): Values {
  return Object.fromEntries(
    Object.entries(view.shown).filter(
      ([key, value]) => state[key] !== undefined && value !== undefined && !isDeepStrictEqual(state[key], value),
    ),
  );
}

async function look<Inputs extends LifecycleInputs, Item>(
  definition: ResourceDefinition<Inputs, Item>,
  work: Work<Values>,
  id: string,
): Promise<View | "gone" | "unverifiable"> {
  const { engine, lists, memory } = work.runtime;
  const list = lists.of(definition.kind);
  const find = finder(definition, id, work.inputs);
  try {
    const first = await list.any();
    const seen = find(first);
    if (seen) return seen.phase === "ended" ? "gone" : seen;
    // One list may have lagged behind, or be older than the resource: only a second one makes it gone.
    const second = await list.after(first.sequence, 0);
    const view = find(second);
    if (view) return view.phase === "ended" ? "gone" : view;
    const wasReady = phaseOf(String(work.inputs["status"]), list.kind.statuses) === "ready";
    const wasListed = () => wasReady || memory.wasListed(definition.type, id);
    const worthWaiting = definition.ownership !== undefined;
    return await settleMissing(work, list, second, { find, wasListed, worthWaiting });
  } catch (error) {
    if (!(error instanceof OperationUnavailableError)) throw error;
    engine.warn(
      work.urn,
      `it could not be verified, because the service has no list of ${list.kind.plural}; the state is kept`,
    );
    return "unverifiable";
  }
}
