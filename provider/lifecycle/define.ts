import type { z } from "zod";
import { automaticLabel } from "../shared/label";
import { inQuotes } from "../shared/shell";
import { unknownValue } from "../shared/unknown";
import { readOrigin } from "../shared/urn";
import { refuseElsewhere } from "./context";
import { forecastKept, forecastRental, warnOfMissingConfiguration } from "./cost";
import {
  checkInputs,
  createResource,
  type Diff,
  deleteResource,
  diffExpired,
  diffInputs,
  type Found,
  importResource,
  type Made,
  noteContents,
  readResource,
  refusePastExpiry,
  refuseVagueExpiry,
  rememberState,
  updateResource,
  warnOfReplacement,
  withFormerOrder,
} from "./crud";
import type { ResourceDefinition } from "./definition";
import {
  askedFor,
  type CheckFailure,
  everyMachine,
  isAsRented,
  isBeyondRepair,
  isToBeChecked,
  isUnasked,
  type LifecycleInputs,
  originKey,
  phaseOf,
  previewKey,
  type Runtime,
  readFleetFacts,
  unfinishedKey,
  unresolvedFingerprint,
  unseenIn,
  type Values,
  whereaboutsOf,
  whereKey,
} from "./model";

/** A resource as whoever hosts it sees it. */
export interface Handler {
  type: string;
  /** What a program may write. */
  inputs: z.ZodObject;
  /** Its outputs, where programs do not make it: the schema of the package does not have those. */
  outputs?: readonly string[];
  /** Missing where programs do not make it. */
  definition?: ResourceDefinition | undefined;
  /** The same, missing where the resource makes nothing that bills. */
  owned?: ResourceDefinition | undefined;
  check(runtime: Runtime, olds: Values, news: Values): { inputs: Values; failures: CheckFailure[] };
  /** What a preview says of one that is to be made, as far as its check was not told that it is one. Returns the limits that it breaks. */
  forecast?(runtime: Runtime, inputs: Values): CheckFailure[];
  diff(runtime: Runtime, id: string, olds: Values, news: Values): Diff;
  create(runtime: Runtime, inputs: Values): Promise<Made>;
  read(runtime: Runtime, id: string, state: Values): Promise<Found | undefined>;
  /** Takes one that exists under management: `values` say only who is to have it. Missing where that makes no sense. */
  import?(runtime: Runtime, id: string, values: Values): Promise<Found>;
  update(runtime: Runtime, id: string, olds: Values, news: Values): Promise<Values>;
  delete(runtime: Runtime, id: string, state: Values): Promise<void>;
}

/** Makes the six operations of a resource from its description. */
export function defineResource<Inputs extends LifecycleInputs, Item>(
  described: ResourceDefinition<Inputs, Item>,
): Handler & { definition: ResourceDefinition } {
  const definition: ResourceDefinition = described;
  return {
    type: definition.type,
    inputs: definition.inputs,
    definition,
    owned: definition.post && definition,
    check: (runtime, olds, news) => check(definition, runtime, olds, news),
    forecast: (runtime, inputs) => forecast(definition, runtime, inputs),
    diff: (runtime, id, olds, news) => diff(definition, runtime, id, olds, news),
    create: (runtime, inputs) => createResource(definition, runtime, inputs),
    read: (runtime, id, state) => readResource(definition, runtime, id, state),
    import: (runtime, id, values) => importResource(definition, runtime, id, values),
    update: (runtime, id, olds, news) => updateResource(definition, runtime, id, olds, news),
    delete: (runtime, id, state) => deleteResource(definition, runtime, id, state),
  };
}

function check(
  definition: ResourceDefinition,
  runtime: Runtime,
  olds: Values,
  news: Values,
): { inputs: Values; failures: CheckFailure[] } {
  runtime.memory.rememberLabel(olds["label"]);
  const { urn } = readOrigin(news[originKey]);
  runtime.memory.rememberProgram(urn);
  const former = readOrigin(olds[originKey]).urn;
  if (former !== "" && former !== urn) runtime.memory.rememberFormer(urn, former);
  const { [previewKey]: isPreview, ...given } = news;
  definition.heed?.(runtime, urn, given);
  const { adoptId } = given;
  if (typeof adoptId === "string" || typeof adoptId === "number") {
    runtime.memory.rememberAdopting(definition.type, String(adoptId), urn);
  }
  // Once it has decided to create or to replace, and not before, the engine asks as if there were none yet.
  const isNew = Object.keys(olds).length === 0;
  if (isNew) warnOfReplacement(runtime, urn);
  const checked = checkInputs(definition.type, definition.inputs, given);
  const ordered = withFormerOrder(definition.sets ?? [], olds, checked.inputs);
  const together = checked.failures.length === 0 ? (definition.checkTogether?.(checked.inputs) ?? []) : [];
  const vague = refuseVagueExpiry(olds, checked.inputs);
  const past = isNew && vague.length === 0 ? refusePastExpiry(runtime, checked.inputs) : [];
  const failures = [...checked.failures, ...together, ...vague, ...past];
  if (isPreview === true) warnOfMissingConfiguration(runtime);
  if (isPreview === true && isNew && failures.length === 0) failures.push(...forecast(definition, runtime, ordered));
  const labelled = isLabelled(definition) ? withLabel(runtime, olds, ordered) : ordered;
  return { inputs: withWhereabouts(definition, runtime, { olds, isPreview: isPreview === true }, labelled), failures };
}

function forecast(definition: ResourceDefinition, runtime: Runtime, inputs: Values): CheckFailure[] {
  warnOfMissingConfiguration(runtime);
  return forecastRental(definition, runtime, readOrigin(inputs[originKey]).urn, inputs);
}

function isLabelled({ inputs, post }: ResourceDefinition): boolean {
  return post !== undefined && "label" in inputs.shape;
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
  const label = automaticLabel(identity, runtime.random);
  runtime.memory.noteMadeLabel(label);
  return { ...inputs, label };
}

/**
 * Where a create is about to be sent, and with which key: chosen here for the same reason as the label. What a killed run has
 * left is then looked for nowhere else. What exists keeps what it has. A preview leaves it open: whoever follows a saved plan may
 * have another key than whoever saved it.
 */
function withWhereabouts(
  { post, kind }: ResourceDefinition,
  runtime: Runtime,
  { olds, isPreview }: { olds: Values; isPreview: boolean },
  inputs: Values,
): Values {
  if (!post) return inputs;
  if (Object.keys(olds).length > 0)
    return olds[whereKey] === undefined ? inputs : { ...inputs, [whereKey]: olds[whereKey] };
  if (inputs["adoptId"] !== undefined) return inputs;
  return { ...inputs, ...(isPreview ? { [whereKey]: unknownValue } : sentTo(runtime, kind.base)) };
}

/** Nothing where the configuration is nonsense or missing: whatever needs it says so. */
function sentTo(runtime: Runtime, base: "v2" | "v1"): Values {
  if (!runtime.isConfigured) return {};
  try {
    return { [whereKey]: whereaboutsOf(runtime.service, base, {}) };
  } catch {
    return {};
  }
}

/** Inputs that never go over the wire. To adopt another machine than before is to have another machine. */
const providerSide = Object.keys(everyMachine).filter((key) => key !== "adoptId");

/** The inputs that change without a replacement. */
export function inPlaceOf({ inputs, inPlace = [] }: ResourceDefinition): string[] {
  return [...providerSide.filter((key) => key in inputs.shape), ...inPlace];
}

function diff(definition: ResourceDefinition, runtime: Runtime, id: string, olds: Values, news: Values): Diff {
  // With an alias the program has another name for it than the state.
  const { urn } = readOrigin(news[originKey]);
  const expired = diffExpired(definition, runtime, { id, urn, state: olds, inputs: news });
  if (expired) return expired;
  refuseIfTaken(definition, runtime, id, olds);
  rememberState(runtime, definition, id, olds);
  rememberState(runtime, definition, id, { ...olds, [originKey]: news[originKey] });
  if (runtime.memory.isInProgram(urn)) runtime.memory.rememberWanted(definition.type, id, urn);
  if (runtime.memory.isInProgram(urn)) definition.heed?.(runtime, urn, news);
  noteContents(definition, runtime, urn, { id, state: olds });
  if (runtime.isConfigured) refuseElsewhere({ definition, runtime }, olds);
  const compared = compare(definition, runtime, { id, urn }, olds, news);
  const isReplaced = compared.replaces.length > 0;
  const [broken] = forecastKept(definition, runtime, urn, { id, state: olds, inputs: news, isReplaced });
  if (broken) throw new Error(broken.reason);
  return compared;
}

/** What of it is to change, and how. */
function compare(
  definition: ResourceDefinition,
  runtime: Runtime,
  { id, urn }: { id: string; urn: string },
  olds: Values,
  news: Values,
): Diff {
  if (unresolvedFingerprint(id) !== undefined) return { changes: true, replaces: ["id"], updates: [] };
  const phase = phaseOf(String(olds["status"] ?? ""), definition.kind.statuses);
  if (isBeyondRepair(phase)) return { changes: true, replaces: ["status"], updates: [] };
  const { changes, replaces, updates } = diffInputs(
    {
      inputs: definition.inputs,
      inPlace: new Set([...inPlaceOf(definition), ...unseenIn(olds)]),
      sets: definition.sets,
      isSame: (key, before, after) =>
        isNoChange(key, id, before, after) ||
        (definition.isSame?.(key, before, after, (...one) => runtime.memory.isExpired(...one)) ?? false),
    },
    olds,
    news,
  );
  // Of what changes in place, the lists of rentals are the service's, and everything else is the program's own.
  const different = [
    ...replaces,
    ...updates.filter((key) => definition.sets?.includes(key) && !unseenIn(olds).includes(key)),
  ];
  if (different.length > 0) refuseImported(definition, runtime, { id, urn, state: olds }, different);
  return { changes: changes || olds[unfinishedKey] === true || isToBeChecked(olds), replaces, updates };
}

/**
 * With the option `import` the engine imports first and compares afterwards. That it then says "replace" in a preview is of no use to
 * anyone; as an error it keeps `up` from beginning.
 */
function refuseImported(
  { type, noun }: { type: string; noun: string },
  { memory }: Runtime,
  { id, urn, state }: { id: string; urn: string; state: Values },
  different: readonly string[],
): void {
  if (!memory.wasImported(type, id)) return;
  const facts = different.map((key) => (state[key] === undefined ? key : `${key} is ${JSON.stringify(state[key])}`));
  throw new Error(
    `${noun} ${id} cannot be imported, because it differs from the program: ${facts.join("; ")}. Correct the program or the id. If the state has it by now, nothing terminates it; \`pulumi state delete ${inQuotes(urn)}\` takes it out.`,
  );
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
    `${noun} ${id} belongs to this resource, but was just adopted by ${taker}: two resources cannot have the same machine. Remove the other one with \`pulumi state delete ${inQuotes(taker)}\`, which does not touch the machine.`,
  );
}

/** What differs between state and program for every resource without being a change. */
function isNoChange(key: string, id: string, olds: Values, news: Values): boolean {
  if (isAsRented(key, news[key], olds)) return true;
  if (news[key] === undefined && isUnasked(key, olds)) return true;
  if (key === "label") return news["label"] === undefined || news["label"] === askedFor("label", olds);
  if (key === "adoptId") {
    return olds["adoptId"] === undefined || news["adoptId"] === undefined || String(news["adoptId"]) === id;
  }
  if (key === "region") {
    const fallbacks = news["fallbackRegions"];
    const isFallback = Array.isArray(fallbacks) && fallbacks.includes(olds["region"]);
    // The regions of a fleet are a set: a member stays where it is as long as its region is one of them.
    return isFallback || (readFleetFacts(news)?.regions.some((region) => region === olds["region"]) ?? false);
  }
  return false;
}
