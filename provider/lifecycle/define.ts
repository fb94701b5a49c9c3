import type { z } from "zod";
import { automaticLabel } from "../shared/label";
import { readOrigin } from "../shared/urn";
import type { OwnedInputs, Ownership } from "./creation/createOnce";
import { type CheckFailure, checkInputs, originKey, type Values } from "./crud/check";
import { createResource, type Made } from "./crud/create";
import { deleteResource } from "./crud/delete";
import { type Diff, diffInputs } from "./crud/diff";
import { rememberState } from "./crud/operation";
import { type Found, readResource } from "./crud/read";
import { updateResource } from "./crud/update";
import type { LifecycleInputs, ResourceDefinition } from "./definition";
import { everyMachine } from "./model/inputs";
import type { Runtime } from "./model/runtime";
import type { Kind } from "./model/sharedList";
import { askedFor, unfinishedKey } from "./model/state";
import { unresolvedTrace } from "./model/unresolvedId";
import { isBeyondRepair, phaseOf } from "./model/view";

/** What a resource rents, for those who look for it without the state. */
export interface Rented {
  /** "storage volume" */
  noun: string;
  kind: Kind<unknown>;
  ownership: Ownership<OwnedInputs, unknown>;
}

export interface Documented {
  /** The inputs that change without a replacement. */
  inPlace: readonly string[];
  /** How long each operation may take unless the input `timeouts` says otherwise. */
  timeouts: { create: string; delete: string };
}

/** A resource as whoever hosts it sees it. */
export interface Handler {
  type: string;
  /** What a program may write. */
  inputs: z.ZodObject;
  /** What its page says of it; missing where programs do not make it. */
  documented?: Documented | undefined;
  /** Missing where the resource makes nothing that bills. */
  rented?: Rented | undefined;
  check(runtime: Runtime, olds: Values, news: Values): { inputs: Values; failures: CheckFailure[] };
  diff(runtime: Runtime, id: string, olds: Values, news: Values): Diff;
  create(runtime: Runtime, inputs: Values): Promise<Made>;
  read(runtime: Runtime, id: string, state: Values): Promise<Found | undefined>;
  update(runtime: Runtime, id: string, olds: Values, news: Values): Promise<Values>;
  delete(runtime: Runtime, id: string, state: Values): Promise<void>;
}

/** Makes the six operations of a resource from its description. */
export function defineResource<Inputs extends LifecycleInputs, Item>(
  definition: ResourceDefinition<Inputs, Item>,
): Handler {
  return {
    type: definition.type,
    inputs: definition.inputs,
    documented: { inPlace: inPlaceOf(definition), timeouts: definition.timeouts },
    rented: definition.ownership && { noun: definition.noun, kind: definition.kind, ownership: definition.ownership },
    check: (runtime, olds, news) => check(definition, runtime, olds, news),
    diff: (runtime, id, olds, news) => diff(definition, runtime, id, olds, news),
    create: (runtime, inputs) => createResource(definition, runtime, inputs),
    read: (runtime, id, state) => readResource(definition, runtime, id, state),
    update: (runtime, id, olds, news) => updateResource(definition, runtime, id, olds, news),
    delete: (runtime, id, state) => deleteResource(definition, runtime, id, state),
  };
}

function check<Inputs extends LifecycleInputs, Item>(
  definition: ResourceDefinition<Inputs, Item>,
  runtime: Runtime,
  olds: Values,
  news: Values,
): { inputs: Values; failures: CheckFailure[] } {
  runtime.memory.rememberLabel(olds["label"]);
  const checked = checkInputs(definition.type, definition.inputs, news);
  const together = checked.failures.length === 0 ? (definition.checkTogether?.(checked.inputs) ?? []) : [];
  return {
    inputs: definition.labelled ? withLabel(runtime, olds, checked.inputs) : checked.inputs,
    failures: [...checked.failures, ...together],
  };
}

/**
 * Chosen here and not in create, so that the engine writes it into the state's pending operations before create begins.
 * What exists keeps the label it has; what is adopted brings its own.
 */
function withLabel(runtime: Runtime, olds: Values, inputs: Values): Values {
  if (inputs["label"] !== undefined) return inputs;
  if (Object.keys(olds).length > 0) return olds["label"] === undefined ? inputs : { ...inputs, label: olds["label"] };
  if (inputs["adoptId"] !== undefined) return inputs;
  const identity = { ...readOrigin(inputs[originKey]), namespace: runtime.settings.namespace };
  return { ...inputs, label: automaticLabel(identity, runtime.random) };
}

/** Inputs that never go over the wire. To adopt another machine than before is to have another machine. */
const providerSide = Object.keys(everyMachine).filter((key) => key !== "adoptId");

function inPlaceOf({ inputs, inPlace }: { inputs: z.ZodObject; inPlace: readonly string[] }): string[] {
  return [...providerSide.filter((key) => key in inputs.shape), ...inPlace];
}

function diff<Inputs extends LifecycleInputs, Item>(
  definition: ResourceDefinition<Inputs, Item>,
  runtime: Runtime,
  id: string,
  olds: Values,
  news: Values,
): Diff {
  refuseIfTaken(definition, runtime, id, olds);
  rememberState(runtime, definition.type, id, olds);
  if (unresolvedTrace(id) !== undefined) return { changes: true, replaces: ["id"] };
  const phase = phaseOf(String(olds["status"] ?? ""), definition.kind.statuses);
  if (isBeyondRepair(phase)) return { changes: true, replaces: ["status"] };
  const { changes, replaces } = diffInputs(
    {
      inputs: definition.inputs,
      inPlace: new Set(inPlaceOf(definition)),
      sets: definition.sets,
      isSame: (key, before, after) =>
        isNoChange(key, id, before, after) || (definition.isSame?.(key, before, after) ?? false),
    },
    olds,
    news,
  );
  return { changes: changes || olds[unfinishedKey] === true, replaces };
}

/** That another resource has adopted the machine of this one could not be seen before: neither may go on as if it were alone. */
function refuseIfTaken(
  { type, noun }: { type: string; noun: string },
  runtime: Runtime,
  id: string,
  state: Values,
): void {
  const taker = runtime.memory.takenOverBy(type, id);
  if (taker === undefined || taker === readOrigin(state[originKey]).urn) return;
  throw new Error(
    `${noun} ${id} was just adopted by ${taker}, but belongs to this resource: two resources cannot have the same adoptId. Remove the other one with \`pulumi state delete '${taker}'\`, which leaves the machine alone.`,
  );
}

/** What differs between state and program for every resource without being a change. */
function isNoChange(key: string, id: string, olds: Values, news: Values): boolean {
  if (key === "label") return news["label"] === undefined || news["label"] === askedFor("label", olds);
  if (key === "adoptId") {
    return olds["adoptId"] === undefined || news["adoptId"] === undefined || String(news["adoptId"]) === id;
  }
  if (key === "region") {
    const fallbacks = news["fallbackRegions"];
    return Array.isArray(fallbacks) && fallbacks.includes(olds["region"]);
  }
  return false;
}
