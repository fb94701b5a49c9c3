import { handlers } from "../../provider";
import {
  type CheckFailure,
  type Dependent,
  type Handler,
  noWitness,
  openEntry,
  originKey,
  PartialStateError,
  type StackAtHand,
  type StateEntry,
  type StateWitness,
  type Values,
} from "../../provider/lifecycle";
import { getOrMake } from "../../provider/shared/getOrMake";
import { withoutSecrets } from "../../provider/shared/secretValue";
import type { ProviderProcess, Rig } from "./rig";

/** A resource of a program: its inputs, or how they follow from the ids of those before it. */
export interface Declared {
  type: string;
  inputs: Values | ((ids: Readonly<Record<string, string>>) => Values);
}
export type Program = Readonly<Record<string, Declared>>;

/** A resource in the state. */
export interface Kept {
  name: string;
  type: string;
  id: string;
  inputs: Values;
  outputs: Values;
  /** The URN that the state has it under until it is written again, where an alias has given it another. */
  urn?: string | undefined;
  /** Why its create did not come to its end. */
  initError?: string | undefined;
}

export interface Outcome {
  /** `create a`, `replace b`, `same c` … in the order in which they were settled. */
  steps: string[];
  /** What people see of what went wrong, by resource. */
  errors: Record<string, string>;
  provider: ProviderProcess;
}

export interface UpOptions {
  refresh?: boolean;
  /** Names that are replaced by force: no first check and no diff, as the engine does it. */
  replace?: readonly string[];
  /** Continues a provider process instead of starting one. */
  provider?: ProviderProcess;
  /** Leaves what the program does not name, as `--target` and a kill before the deletes do. */
  keep?: boolean;
  /** What alone is deleted, by name, with all that depends on it: `destroy --target … --target-dependents`. */
  targets?: readonly string[];
  /** Rejects when the command is killed: nothing is written down from then on. */
  killed?: Promise<never>;
  /** The state cannot be exported. */
  unreadable?: boolean;
  /** `--continue-on-error`: what the program no longer has is deleted, whatever has failed. */
  continueOnError?: boolean;
}

/** A create that began and of which no end is known: the engine writes it down before it calls the provider. */
export type Pending = Pick<Kept, "name" | "type" | "inputs">;

/**
 * The calls of the engine in their order (docs/internals/host-and-engine.md), without the engine: check, diff, create
 * before delete, a partial state kept with its error, deletes last and, as a rule, only if all went well. Fast enough for thousands of
 * runs.
 */
export class FakeEngine {
  readonly state = new Map<string, Kept>();
  /** Replaced, and still to be deleted. */
  readonly condemned: Kept[] = [];
  /** Kept from run to run, until something settles them: those of the present run come first. */
  readonly pending: Pending[] = [];
  /** Of each resource by name, the names of those whose ids it was last given. */
  readonly #dependsOn = new Map<string, ReadonlySet<string>>();
  /** When the state was last written, by the clock. */
  writtenAt = 0;

  constructor(
    private readonly rig: Rig,
    private identity: { organization?: string; project?: string; stack?: string } = {},
    private readonly handlerOf: (type: string) => Handler = getHandler,
  ) {
    stacksOf(rig).push(this);
  }

  /** What an export of the state holds at this moment. */
  entries(): StateEntry[] {
    const entryOf = ({ name, type, id, outputs, urn }: Kept) => ({
      urn: urn ?? this.urn(type, name),
      type,
      id,
      outputs: this.#encrypted(outputs),
    });
    const replaced = this.condemned.map((kept) => ({ ...entryOf(kept), isReplaced: true }));
    return [...replaced, ...[...this.state.values()].map(entryOf)];
  }

  /** Outputs of which an export shows only ciphertext. */
  secrets: readonly string[] = [];

  #encrypted(outputs: Values): Values {
    const secrets = this.secrets.filter((key) => key in outputs);
    return { ...outputs, ...Object.fromEntries(secrets.map((key) => [key, ciphertext])) };
  }

  /** As processes see it. */
  exported(): StateEntry[] {
    return this.entries().map(openEntry);
  }

  /** Of a test in which something of another provider is. */
  beingDeleted: readonly string[] = [];
  isCurrent = true;
  roundOf = (_urn: string): number => 0;

  /** What depends on these, directly or through others. */
  dependentsOf(urns: readonly string[]): Dependent[] {
    const all = [...this.condemned, ...this.state.values()];
    const urnOf = ({ urn, type, name }: Kept) => urn ?? this.urn(type, name);
    const names = new Set(all.filter((kept) => urns.includes(urnOf(kept))).map(({ name }) => name));
    const found = new Set<Kept>();
    for (let before = -1; before < found.size; ) {
      before = found.size;
      for (const kept of all) {
        if (![...names].some((name) => this.#dependsOn.get(kept.name)?.has(name))) continue;
        found.add(kept);
        names.add(kept.name);
      }
    }
    return [...found].map((kept) => ({ urn: urnOf(kept) }));
  }

  /** Two stacks of one name are in two backends: neither can ask the other. */
  #isCalledLike(other: FakeEngine): boolean {
    return this.urn("", "") === other.urn("", "");
  }

  /** The same of the other stacks of the backend. */
  entriesElsewhere(): StateEntry[] {
    return stacksOf(this.rig).flatMap((other) => (other.#isCalledLike(this) ? [] : other.exported()));
  }

  /** `pulumi stack rename`: what was written keeps the former name. */
  rename(stack: string): void {
    this.identity = { ...this.identity, stack };
  }

  /** `pulumi state move` of one resource to another stack of the backend. */
  move(name: string, to: FakeEngine): void {
    to.state.set(name, this.get(name));
    this.state.delete(name);
  }

  /** The state as one process asks it: when first needed, and once. */
  #witness(): StateWitness {
    const exported = new Map<FakeEngine, StateEntry[]>();
    const once = (stack: FakeEngine) => {
      const known = exported.get(stack) ?? stack.exported();
      exported.set(stack, known);
      return known;
    };
    return {
      entries: async (stack, { now = false } = {}) => {
        const asked = this.#asked(stack, once);
        return now ? asked?.exported() : asked && once(asked);
      },
      dependencies: async (stack) => this.#asked(stack, once),
      elsewhere: async (stack) => {
        const asked = this.#asked(stack, once);
        // To a name that no stack has, each is another one.
        return asked ? asked.entriesElsewhere() : stacksOf(this.rig).flatMap(once);
      },
      isWhole: async (stack) => this.#asked(stack, once) !== undefined,
      // The create that asks is pending itself, before those of earlier runs.
      interrupted: async (_, urn, own) => {
        const creates = this.pending.filter(({ type, name }) => urn === undefined || this.urn(type, name) === urn);
        const left = own?.isMade ? creates.filter(({ inputs }) => inputs["label"] !== own.label) : creates;
        const interrupted = left.map(({ type, name, inputs }) => {
          const { open: asked, secrets } = withoutSecrets(this.#encrypted(inputs));
          return { urn: this.urn(type, name), asked, ...(secrets.length > 0 && { secrets }) };
        });
        return interrupted.slice(own && !own.isMade ? 1 : 0);
      },
    };
  }

  /** The stack that is asked for: by its name, or by what the operation is about, if that has come to this one. */
  #asked(
    { entry, project, stack }: StackAtHand,
    entriesOf: (stack: FakeEngine) => StateEntry[],
  ): FakeEngine | undefined {
    const isCalled = (one: FakeEngine) => one.urn("", "").startsWith(`urn:pulumi:${stack}::${project}::`);
    const [named] = [this, ...stacksOf(this.rig)].filter(isCalled);
    const holds = (one: FakeEngine) => entriesOf(one).some(({ type, id }) => type === entry?.type && id === entry.id);
    return entry && !(named && holds(named)) && holds(this) ? this : named;
  }

  /** The same where the state cannot be exported. */
  #noWitness(): StateWitness {
    return { ...noWitness, interrupted: async () => Promise.reject(new Error("pulumi stack export has failed")) };
  }

  urn(type: string, name: string): string {
    const { stack = "test", project = "rig" } = this.identity;
    return `urn:pulumi:${stack}::${project}::pulumi-nodejs:dynamic/gpufleet:${type}::${name}`;
  }

  up(program: Program, options: UpOptions = {}): Promise<Outcome> {
    return this.#run(program, options);
  }

  destroy(options: UpOptions = {}): Promise<Outcome> {
    return this.#run({}, options, options.targets === undefined);
  }

  #run(program: Program, options: UpOptions, endsAll = false): Promise<Outcome> {
    const provider = options.provider ?? this.rig.startProvider();
    provider.endsAll = endsAll;
    const work = this.#up(program, { ...options, provider });
    return this.rig.run(options.killed ? Promise.race([work, options.killed]) : work);
  }

  refresh(provider = this.rig.startProvider(), killed?: Promise<never>): Promise<Outcome> {
    const outcome: Outcome = { steps: [], errors: {}, provider };
    provider.state = this.#witness();
    const work = this.#refresh(outcome).then(() => outcome);
    return this.rig.run(killed ? Promise.race([work, killed]) : work);
  }

  /** The resource in the state; it must be there. */
  get(name: string): Kept {
    const kept = this.state.get(name);
    if (!kept) throw new Error(`${name} is not in the state, which has ${[...this.state.keys()].join(", ")}`);
    return kept;
  }

  async #up(program: Program, options: UpOptions): Promise<Outcome> {
    const outcome: Outcome = { steps: [], errors: {}, provider: options.provider ?? this.rig.startProvider() };
    outcome.provider.state = options.unreadable ? this.#noWitness() : this.#witness();
    if (options.targets) outcome.provider.scope = "partial";
    if (options.refresh) await this.#refresh(outcome);
    if (Object.keys(outcome.errors).length > 0) return outcome;
    const before: Promise<void>[] = [];
    for (const [name, { type, inputs }] of Object.entries(program)) {
      const earlier = [...before];
      before.push(
        this.#guard(outcome, name, async () => {
          if (typeof inputs === "function") await Promise.all(earlier);
          await this.#bring(
            outcome,
            name,
            type,
            this.#given(outcome, type, name, inputs),
            options.replace?.includes(name),
          );
        }),
      );
    }
    await Promise.all(before);
    const goesOn = options.continueOnError || Object.keys(outcome.errors).length === 0;
    if (goesOn && !options.keep) await this.#delete(program, outcome, options);
    return outcome;
  }

  #given({ errors }: Outcome, type: string, name: string, inputs: Declared["inputs"]): Values {
    const ids = Object.fromEntries([...this.state].map(([key, { id }]) => [key, id]));
    // As the engine does it: what depends on a resource that has failed in this run is not tried.
    for (const failed of Object.keys(errors)) {
      const get = () => {
        throw new Error(`what it depends on is not there: ${failed} has failed`);
      };
      Object.defineProperty(ids, failed, { get, enumerable: false });
    }
    const { organization = "organization" } = this.identity;
    const used = new Set<string>();
    const get = (all: typeof ids, key: string) => {
      used.add(key);
      return all[key];
    };
    const given = typeof inputs === "function" ? inputs(new Proxy(ids, { get })) : inputs;
    this.#dependsOn.set(name, used);
    return asSent({ ...given, [originKey]: `${organization}/${this.urn(type, name)}` });
  }

  /** Brings one resource to where the program wants it. */
  async #bring(outcome: Outcome, name: string, type: string, given: Values, forced = false): Promise<void> {
    const handler = this.handlerOf(type);
    const { provider } = outcome;
    const kept = this.state.get(name);
    if (!kept) return this.#create(outcome, "create", name, type, given);
    if (forced) return this.#create(outcome, "replace", name, type, given);
    const inputs = accept(handler.check(provider, kept.inputs, given));
    const { changes, replaces } = handler.diff(provider, kept.id, kept.outputs, inputs);
    if (replaces.length > 0) return this.#create(outcome, "replace", name, type, given);
    if (!changes && kept.initError === undefined) {
      this.state.set(name, { ...kept, inputs });
      outcome.steps.push(`same ${name}`);
      return;
    }
    await this.#save(kept, inputs, async () => ({
      id: kept.id,
      outputs: await handler.update(provider, kept.id, kept.outputs, inputs),
    }));
    outcome.steps.push(`update ${name}`);
  }

  async #create(outcome: Outcome, step: string, name: string, type: string, given: Values): Promise<void> {
    const handler = this.handlerOf(type);
    const inputs = accept(handler.check(outcome.provider, {}, given));
    const old = this.state.get(name);
    const begun = { name, type, inputs };
    this.pending.unshift(begun);
    this.writtenAt = this.rig.clock.now();
    try {
      await this.#save({ name, type }, inputs, () => handler.create(outcome.provider, inputs), old);
    } finally {
      this.pending.splice(this.pending.indexOf(begun), 1);
    }
    outcome.steps.push(`${step} ${name}`);
  }

  /** Writes down what an operation has made, also where it failed half-way. */
  async #save(
    { name, type }: Pick<Kept, "name" | "type">,
    inputs: Values,
    operation: () => Promise<{ id: string; outputs: Values }>,
    replaced?: Kept,
  ): Promise<void> {
    const save = (id: string, outputs: Values, initError?: string) => {
      if (replaced) this.condemned.push(replaced);
      this.state.set(name, { name, type, id, inputs, outputs: asSent({ ...inputs, ...outputs }), initError });
    };
    try {
      const { id, outputs } = await operation();
      save(id, outputs);
    } catch (error) {
      if (error instanceof PartialStateError) save(error.id, error.outputs, error.message);
      throw error;
    }
  }

  /** Reads everything that the state holds, also what is only there to be deleted. */
  async #refresh(outcome: Outcome): Promise<void> {
    const entries = [...this.condemned, ...this.state.values()];
    await Promise.all(entries.map((kept) => this.#guard(outcome, kept.name, () => this.#read(outcome, kept))));
  }

  async #read({ provider, steps }: Outcome, kept: Kept): Promise<void> {
    const handler = this.handlerOf(kept.type);
    const found = await handler.read(provider, kept.id, kept.outputs);
    if (!found) {
      this.#forget(kept);
      steps.push(`gone ${kept.name}`);
      return;
    }
    const origin = { [originKey]: kept.inputs[originKey] };
    const outputs = asSent({ ...origin, ...found.outputs });
    const inputs = asSent({ ...origin, ...found.inputs });
    // As the engine does it: what is read may have another id.
    const id = found.id ?? kept.id;
    handler.diff(provider, id, outputs, inputs);
    if (this.state.get(kept.name) === kept) {
      this.state.set(kept.name, { ...kept, id, inputs, outputs, initError: undefined });
    }
  }

  /** What depends on others goes first; what others depend on goes after them, and only if they are gone. */
  async #delete(program: Program, outcome: Outcome, { targets }: UpOptions): Promise<void> {
    const failed = new Set(Object.keys(outcome.errors));
    const replaced = this.condemned.filter(({ name }) => !failed.has(name));
    const unwanted = [...replaced, ...[...this.state.values()].filter(({ name }) => !(name in program))];
    const doomed = unwanted.filter(({ name }) => targets?.includes(name) ?? true);
    const waves = [["VolumeAttachment"], ["FleetReady"], undefined, ["FleetEnded"]];
    const named = waves.flatMap((types) => types ?? []);
    const removals = new Map<Kept, Promise<void>>();
    const removeInTurn = (kept: Kept): Promise<void> =>
      getOrMake(removals, kept, async () => {
        const dependents = doomed.filter(({ name }) => this.#dependsOn.get(name)?.has(kept.name));
        await Promise.all(dependents.map(removeInTurn));
        if (dependents.some((one) => this.#isHeld(one))) return;
        await this.#guard(outcome, kept.name, () => this.#remove(outcome, kept));
      });
    for (const types of waves) {
      const wave = doomed.filter(({ type }) => (types ? types.includes(type) : !named.includes(type)));
      if (types?.includes("FleetEnded") && Object.keys(outcome.errors).length > 0) return;
      await Promise.all(wave.map(removeInTurn));
    }
  }

  #isHeld(kept: Kept): boolean {
    return this.condemned.includes(kept) || this.state.get(kept.name) === kept;
  }

  async #remove({ provider, steps }: Outcome, kept: Kept): Promise<void> {
    await this.handlerOf(kept.type).delete(provider, kept.id, kept.outputs);
    this.#forget(kept);
    steps.push(`delete ${kept.name}`);
  }

  #forget(kept: Kept): void {
    const index = this.condemned.indexOf(kept);
    if (index >= 0) this.condemned.splice(index, 1);
    else this.state.delete(kept.name);
  }

  async #guard(outcome: Outcome, name: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      outcome.errors[name] = error instanceof Error ? error.message : String(error);
    }
  }
}

/** A secret, as an export of the state shows it. */
const ciphertext = {
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
  ciphertext: "v1:abc",
};

/** The stacks of one backend. */
const backends = new WeakMap<Rig, FakeEngine[]>();

function stacksOf(rig: Rig): FakeEngine[] {
  const known = backends.get(rig) ?? [];
  backends.set(rig, known);
  return known;
}

export function getHandler(type: string): Handler {
  const handler = handlers.get(type);
  if (!handler) throw new Error(`no resource ${type}`);
  return handler;
}

function accept({ inputs, failures }: { inputs: Values; failures: CheckFailure[] }): Values {
  if (failures.length > 0) throw new Error(failures.map(({ reason }) => reason).join("; "));
  return asSent(inputs);
}

/** Values as they come out of the engine again. */
function asSent(values: Values): Values {
  return JSON.parse(JSON.stringify(values));
}
