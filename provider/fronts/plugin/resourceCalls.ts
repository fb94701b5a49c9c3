import { isDeepStrictEqual } from "node:util";
import {
  type Diff,
  type Handler,
  importedKey,
  inputsFrom,
  originKey,
  PartialStateError,
  phaseOf,
  providerKey,
  type Runtime,
  readKey,
  type StackName,
  unfinishedKey,
  type Values,
  visible,
  whereKey,
} from "../../lifecycle";
import { derivedOutputs } from "../../resources";
import { resourceTypeOf } from "../../shared/typeToken";
import { readOrigin, readUrn } from "../../shared/urn";
import { sendable, shownMessage, toldByEngine } from "../answers";
import { withoutTimeout, withTimeout } from "../customTimeouts";
import { withRandom } from "../runtime";
import {
  type CheckAnswer,
  type CheckCall,
  type CreateAnswer,
  type CreateCall,
  type DeleteCall,
  type DetailedChange,
  type DiffAnswer,
  type DiffCall,
  InitFailed,
  type ReadAnswer,
  type ReadCall,
  type UpdateAnswer,
  type UpdateCall,
} from "./calls";
import { previewedCreate, previewedUpdate } from "./previews";
import { propertyChanges } from "./propertyDiff";
import { seededRandom } from "./seededRandom";

export interface ResourceCallsParts {
  handlers: ReadonlyMap<string, Handler>;
  /** As the provider is configured now. */
  runtime(): Runtime;
  /** What must never be shown. */
  secrets(): readonly string[];
  organizationOf(stack: Omit<StackName, "organization">): Promise<string>;
  /** The names of a type's outputs, for previews. */
  outputsOf(type: string): readonly string[];
}

/** The calls of the protocol that are about one resource, on the same handlers as dynamic resources. */
export class ResourceCalls {
  readonly #parts: ResourceCallsParts;
  /** Resources of programs that derive nothing themselves, as those of other languages and of generated SDKs. */
  readonly #plain = new Set<string>();
  #hasFailed = false;

  constructor(parts: ResourceCallsParts) {
    this.#parts = parts;
  }

  check({ urn, olds, news, randomSeed, isSecret = () => false }: CheckCall): Promise<CheckAnswer> {
    return this.#guarded(async (runtime) => {
      // The classes of our own SDK say who they are.
      if (news[originKey] === undefined) this.#plain.add(urn);
      // With `ignoreChanges: ["*"]` the engine takes it from the old inputs.
      const { [importedKey]: _, ...written } = news;
      const given = { ...written, [originKey]: await this.#originFor(urn, news, olds) };
      const chosen = randomSeed.length > 0 ? withRandom(runtime, seededRandom(randomSeed)) : runtime;
      const { inputs, failures } = this.#handlerOf(urn).check(chosen, olds, given);
      return {
        inputs: sendable(inputs, given, this.#parts.secrets()),
        failures: toldByEngine(failures, { hasFailed: this.#hasFailed, isSecret }),
      };
    });
  }

  diff({ id, urn, olds, oldInputs, news }: DiffCall): Promise<DiffAnswer> {
    return this.#guarded(async (runtime) => {
      const handler = this.#handlerOf(urn);
      const state = await this.#withOrigin(urn, olds);
      const compared = handler.diff(runtime, id, state, await this.#withOrigin(urn, news, olds));
      const diff = this.#plain.has(urn) ? withMissing(compared, handler.type, { id, urn, outputs: olds }) : compared;
      const before = oldInputs ?? inputsFrom(handler.inputs.shape, olds);
      // In the run that imports it, the engine writes the inputs of a program that agrees only with an update.
      const isAgreed = before[importedKey] === true && runtime.memory.wasImported(handler.type, id);
      return {
        ...diff,
        changes: diff.changes || isAgreed,
        detailed: detailedChanges(diff, visible(before), visible(news)),
      };
    });
  }

  create({ urn, properties, timeout, preview }: CreateCall): Promise<CreateAnswer> {
    const handler = this.#handlerOf(urn);
    if (preview) return this.#guarded(async (runtime) => this.#previewCreate(runtime, handler, urn, properties));
    return this.#changing(handler, properties, async (runtime) => {
      const given = await this.#withOrigin(urn, properties);
      const { id, outputs } = await handler.create(runtime, withTimeout(given, "create", timeout));
      const made = { ...given, ...withoutTimeout(outputs, properties) };
      const derived = derivedOutputs(handler.type, { id: String(id), urn, outputs });
      const values = this.#sent({ ...made, ...derived }, given);
      return { id: String(id), properties: values, refreshBeforeUpdate: isUnsettled(handler, values) };
    });
  }

  /** Undefined where it is gone. */
  read({ id, urn, properties, inputs }: ReadCall): Promise<ReadAnswer | undefined> {
    return this.#guarded(async (runtime) => {
      const handler = this.#handlerOf(urn);
      const state = await this.#withOrigin(urn, properties);
      const isRead = inputs !== undefined && isOnlyRead(properties, inputs);
      const found =
        inputs === undefined
          ? await importBy(handler, runtime, id, state)
          : await handler.read(runtime, id, isRead ? { ...state, [readKey]: true } : state);
      if (!found) return undefined;
      const written = (values: Values) => this.#sent({ [originKey]: state[originKey], ...values }, state);
      const { id: present = id, outputs } = found;
      // Until the engine writes the inputs of a program that agrees.
      const isOpen = inputs === undefined ? !(await runtime.engine.imports()) : inputs[importedKey] === true;
      return {
        id: present,
        properties: written({ ...outputs, ...derivedOutputs(handler.type, { id: present, urn, outputs }) }),
        inputs: written({ ...found.inputs, ...(isOpen && { [importedKey]: true }) }),
        refreshBeforeUpdate: isUnsettled(handler, found.outputs),
      };
    });
  }

  update({ id, urn, olds, news, timeout, preview }: UpdateCall): Promise<UpdateAnswer> {
    const handler = this.#handlerOf(urn);
    if (preview) {
      const properties = previewedUpdate(handler, { id, urn, olds, news, outputs: this.#outputsOf(handler) });
      return Promise.resolve({ properties, refreshBeforeUpdate: false });
    }
    return this.#changing(handler, news, async (runtime) => {
      const state = await this.#withOrigin(urn, olds);
      const given = await this.#withOrigin(urn, news, olds);
      const outputs = await handler.update(runtime, id, state, withTimeout(given, "create", timeout));
      const made = { ...given, ...withoutTimeout(outputs, news) };
      const properties = this.#sent({ ...made, ...derivedOutputs(handler.type, { id, urn, outputs }) }, given);
      return { properties, refreshBeforeUpdate: isUnsettled(handler, properties) };
    });
  }

  delete({ id, urn, properties, inputs, timeout }: DeleteCall): Promise<void> {
    return this.#guarded(async (runtime) => {
      const state = { ...(await this.#withOrigin(urn, properties)), [importedKey]: inputs[importedKey] };
      await this.#handlerOf(urn).delete(runtime, id, withTimeout(state, "delete", timeout));
    });
  }

  /** Only our own SDK tells a check that this is a preview: what it would have said then is said here to other programs. */
  #previewCreate(runtime: Runtime, handler: Handler, urn: string, properties: Values): CreateAnswer {
    const broken = this.#plain.has(urn) ? (handler.forecast?.(runtime, properties) ?? []) : [];
    if (broken.length > 0) throw new Error(broken.map(({ reason }) => reason).join(" "));
    return { id: "", properties: previewedCreate(properties, this.#outputsOf(handler)), refreshBeforeUpdate: false };
  }

  #outputsOf({ type, outputs }: Handler): readonly string[] {
    return outputs ?? this.#parts.outputsOf(type);
  }

  #handlerOf(urn: string): Handler {
    const token = readUrn(urn).type;
    const handler = this.#parts.handlers.get(resourceTypeOf(token) ?? "");
    if (handler) return handler;
    throw new Error(
      `pulumi-gpufleet has no resource type ${token}. It has ${[...this.#parts.handlers.keys()].join(", ")}`,
    );
  }

  /** What says who a resource is. The program or the state may know the organization; the URN is that of the call. */
  async #originFor(urn: string, ...known: readonly Values[]): Promise<string> {
    const told = known.map((values) => readOrigin(values[originKey]).organization).find(Boolean);
    return `${told ?? (await this.#parts.organizationOf(readUrn(urn)))}/${urn}`;
  }

  /** Values with the origin that they have, or with that of the call: a state keeps the one that its label was made from. */
  async #withOrigin(urn: string, values: Values, ...known: readonly Values[]): Promise<Values> {
    if (typeof values[originKey] === "string") return values;
    return { ...values, [originKey]: await this.#originFor(urn, ...known) };
  }

  /** What dynamic resources keep for their host is not carried on. */
  #sent(values: Values, given: Values): Values {
    const { [providerKey]: _, ...kept } = values;
    return sendable(kept, given, this.#parts.secrets());
  }

  async #changing<Result>(
    handler: Handler,
    given: Values,
    run: (runtime: Runtime) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await this.#guarded(run);
    } catch (error) {
      this.#hasFailed = true;
      const cause = error instanceof Error ? error.cause : undefined;
      if (!(error instanceof Error && cause instanceof PartialStateError)) throw error;
      // What exists all the same keeps its id.
      const properties = this.#sent({ ...given, ...withoutTimeout(cause.outputs, given) }, given);
      throw new InitFailed(error.message, cause.id, properties, isUnsettled(handler, properties));
    }
  }

  /** Runs a call. What fails is told in words that may be shown. */
  async #guarded<Result>(run: (runtime: Runtime) => Promise<Result>): Promise<Result> {
    try {
      return await run(this.#parts.runtime());
    } catch (error) {
      throw new Error(shownMessage(error, this.#parts.secrets()), { cause: error });
    }
  }
}

async function importBy(handler: Handler, runtime: Runtime, id: string, values: Values) {
  if (!handler.import) throw new Error(`${handler.type} is part of a GpuFleet and cannot be imported`);
  return handler.import(runtime, id, values);
}

/** Dynamic resources do not write what is derived: after a move an update in place does, or nobody would find it. */
function withMissing(diff: Diff, type: string, resource: { id: string; urn: string; outputs: Values }): Diff {
  const derived = Object.entries(derivedOutputs(type, resource)).filter(([, value]) => value !== undefined);
  const missing = derived.map(([key]) => key).filter((key) => resource.outputs[key] === undefined);
  return diff.changes || missing.length === 0 ? diff : { ...diff, changes: true, updates: missing };
}

/** Whether the program reads it without managing it: the engine then knows nothing but what the program says. */
function isOnlyRead(properties: Values, inputs: Values): boolean {
  return properties[whereKey] === undefined && isDeepStrictEqual(properties, inputs);
}

/** Whether it is worth a look before anything is decided: its state was written before it had come to rest. */
function isUnsettled({ definition }: Handler, outputs: Values): boolean {
  if (!definition) return false;
  return (
    outputs[unfinishedKey] === true || phaseOf(String(outputs["status"] ?? ""), definition.kind.statuses) === "pending"
  );
}

function detailedChanges({ replaces, updates }: Diff, before: Values, after: Values): Map<string, DetailedChange> {
  const detailed = new Map<string, DetailedChange>();
  const note = (key: string, isReplaced: boolean) => {
    const changes = propertyChanges(key, before[key], after[key]);
    for (const [path, change] of changes) detailed.set(path, { change, replaces: isReplaced, isInput: true });
    // The state differs where the inputs do not: the status, an id that was never resolved, a default that was added since.
    if (changes.size === 0) detailed.set(key, { change: "update", replaces: isReplaced, isInput: false });
  };
  for (const key of replaces) note(key, true);
  for (const key of updates) note(key, false);
  return detailed;
}
