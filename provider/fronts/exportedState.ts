import { z } from "zod";
import {
  type Dependencies,
  type InterruptedCreate,
  importedKey,
  type OwnCreate,
  type StackAtHand,
  type StackName,
  type StateEntry,
  type StateWitness,
} from "../lifecycle";
import { isAutomaticLabel } from "../shared/label";
import { hasSecret } from "../shared/secretValue";
import { fullName } from "../shared/stackName";
import { isSameUrn, resourceTypeOf } from "../shared/typeToken";
import { providerIn } from "../shared/urn";
import { type FindEngine, findEngine, followsPlan } from "./engineCommand";
import { exportStack, namesOfOtherStacks, type Pulumi, pulumiCommand } from "./pulumiCommand";
import { stackOfRun } from "./stackOfRun";

/** Stacks of a backend that are looked into before something is refused. */
const mostStacks = 50;

const deployment = z.object({
  deployment: z
    .object({
      resources: z
        .array(
          z.object({
            urn: z.string(),
            type: z.string(),
            id: z.string().optional(),
            /** Read by the program, and not managed by the stack. */
            external: z.boolean().optional(),
            /** Replaced, and still to be deleted. */
            delete: z.boolean().optional(),
            /** Missing for a component. */
            custom: z.boolean().optional(),
            parent: z.string().optional(),
            dependencies: z.array(z.string()).nullish(),
            propertyDependencies: z.record(z.string(), z.array(z.string()).nullish()).nullish(),
            deletedWith: z.string().optional(),
            customTimeouts: z.object({ delete: z.number().optional() }).nullish(),
            protect: z.boolean().optional(),
            retainOnDelete: z.boolean().optional(),
            /** `<urn of the provider>::<id of the provider>` */
            provider: z.string().optional(),
            inputs: z.record(z.string(), z.unknown()).optional(),
            outputs: z.record(z.string(), z.unknown()).optional(),
          }),
        )
        .nullish(),
      pending_operations: z
        .array(
          z.object({
            type: z.string(),
            resource: z.object({ urn: z.string(), inputs: z.record(z.string(), z.unknown()).optional() }),
          }),
        )
        .nullish(),
    })
    .nullish(),
});

/** What an exported state says. */
interface Exported {
  /** The entries that are ours, without what the stack only reads. */
  entries: StateEntry[];
  dependencies: Dependencies;
  /** The pending creates: of each resource first the one under way, then those that earlier runs have left. */
  creates: InterruptedCreate[];
}

/** What the other stacks of the backend hold. */
interface Others {
  entries: StateEntry[];
  /** Whether each of them could be exported. */
  isWhole: boolean;
}

type Deployment = NonNullable<z.infer<typeof deployment>["deployment"]>;

export function readExport(text: string): Exported {
  const { resources, pending_operations } = deployment.parse(JSON.parse(text)).deployment ?? {};
  return {
    entries: ownEntries(resources ?? []),
    dependencies: {
      dependentsOf: (urns) => dependentsIn(resources ?? [], urns),
      isBeingDeleted: (urn) =>
        pending_operations?.some(({ type, resource }) => type === "deleting" && resource.urn === urn) ?? false,
    },
    creates: createsIn(pending_operations ?? []),
  };
}

type Resources = NonNullable<Deployment["resources"]>;

/**
 * As the engine reads it: what depends on something is written after it, and depends also on its parent, its provider, and all that a
 * component has which it depends on.
 */
function dependentsIn(resources: Resources, urns: readonly string[]): string[] {
  const components = new Map(resources.filter(({ custom }) => !custom).map(({ urn, parent }) => [urn, parent]));
  const found = new Set<string>();
  const within = new Set<string>();
  const dependents = resources.filter((resource) => {
    const { urn, dependencies, propertyDependencies, parent, provider, deletedWith } = resource;
    const listed = Object.values(propertyDependencies ?? {}).flatMap((some) => some ?? []);
    const others = [deletedWith, provider && providerIn(provider)].filter((one) => one !== undefined);
    const needed = [...(dependencies ?? []), ...listed, ...others];
    const isDependent =
      needed.some((one) => found.has(one) || within.has(one)) || (parent !== undefined && found.has(parent));
    if (isDependent || urns.includes(urn)) {
      found.add(urn);
      for (let at = parent; at !== undefined && components.has(at); at = components.get(at)) within.add(at);
    }
    return isDependent;
  });
  return dependents.filter(({ custom }) => custom).map(({ urn }) => urn);
}

function ownEntries(resources: Resources): StateEntry[] {
  return resources.flatMap((resource) => {
    const { urn, type: token, id, inputs, external, provider, outputs, delete: isReplaced, customTimeouts } = resource;
    const type = resourceTypeOf(token);
    if (type === undefined || !id || external) return [];
    return [
      {
        urn,
        type,
        id,
        outputs: outputs ?? {},
        ...(isReplaced && { isReplaced }),
        ...((resource.protect || resource.retainOnDelete) && { isKept: true }),
        ...(inputs?.[importedKey] === true && { isImported: true }),
        ...(customTimeouts?.delete && { deleteSeconds: customTimeouts.delete }),
        ...(provider !== undefined && { provider: providerIn(provider) }),
      },
    ];
  });
}

function createsIn(pending: NonNullable<Deployment["pending_operations"]>): InterruptedCreate[] {
  const creates = pending.filter(({ type }) => type === "creating");
  return creates.map(({ resource: { urn, inputs = {} } }) => {
    const open = Object.entries(inputs).filter(([, value]) => !hasSecret(value));
    return { urn, asked: Object.fromEntries(open) };
  });
}

/** The state as `pulumi stack export` gives it: it works while an update holds the lock, and without the passphrase. */
export const exportedState: StateWitness = createExportedState(pulumiCommand);

/** The same by any way of running the command. */
export function createExportedState(
  pulumi: Pulumi,
  environment: NodeJS.ProcessEnv = process.env,
  engine: FindEngine = findEngine,
): StateWitness {
  const exported = async (name: string) => readExport(await exportStack(pulumi, name));
  const first = onceForEach(exported);
  const latest = onceForEach((name: string) => begunAfterAsking(() => exported(name)));
  const entriesIn = (state: Promise<Exported>) =>
    state.then(
      ({ entries }) => entries,
      () => undefined,
    );
  const entriesOf = (name: string) => entriesIn(first(name));
  /** What was written under another name says so for as long as nothing in it changes. */
  const present = async ({ entry, ...stack }: StackAtHand): Promise<StackName> => {
    const isIn = async (name: StackName) =>
      (await entriesOf(fullName(name)))?.some(({ type, id }) => type === entry?.type && id === entry.id) ?? false;
    if (!entry || (await isIn(stack))) return stack;
    ofRun ??= stackOfRun(pulumi, environment, engine).catch(() => undefined);
    const other = { ...stack, ...(await ofRun) };
    return (await isIn(other)) ? other : stack;
  };
  const interrupted = async (stack: StackAtHand, urn: string | undefined, own: OwnCreate | undefined) => {
    const name = fullName(await present(stack));
    if (!own) return unsettledIn(await first(name), urn);
    const isOwn = ({ asked: { label } }: InterruptedCreate) => isAutomaticLabel(label) && label === own.label;
    if (await isOfThisRun(own)) return unsettledIn(await first(name), urn).filter((create) => !isOwn(create));
    // The present one comes first.
    const isWritten = isWrittenAtEachStep(environment);
    return unsettledIn(await latest(name)(), urn, isOwn).slice(isWritten ? 1 : 0);
  };
  /** Whether only this run can have the label: who follows a saved plan makes the labels that it made before. */
  const isOfThisRun = async ({ isMade }: OwnCreate) => {
    const run = isMade ? await engine() : undefined;
    return run !== undefined && !followsPlan(run.words, environment);
  };
  let ofRun: ReturnType<typeof stackOfRun> | undefined;
  const othersOf = onceForEach((own: StackName) =>
    namesOfOtherStacks(pulumi, own).then(
      async (names): Promise<Others> => {
        const asked = await Promise.all(names.slice(0, mostStacks).map(entriesOf));
        const isWhole = names.length <= mostStacks && !asked.includes(undefined);
        return { entries: asked.flatMap((found) => found ?? []), isWhole };
      },
      () => ({ entries: [], isWhole: false }),
    ),
  );
  return {
    entries: async (stack, { now = false } = {}) => {
      const name = fullName(await present(stack));
      return now ? entriesIn(latest(name)()) : entriesOf(name);
    },
    dependencies: async (stack) => {
      const name = fullName(await present(stack));
      return latest(name)().then(
        ({ dependencies }) => dependencies,
        () => undefined,
      );
    },
    elsewhere: async (stack) => (await othersOf(await present(stack))).entries,
    isWhole: async (stack) => {
      const own = await present(stack);
      return (await entriesOf(fullName(own))) !== undefined && (await othersOf(own)).isWhole;
    },
    interrupted: (stack, urn, own) =>
      interrupted(stack, urn, own).catch(async (error: unknown) => {
        // Without an engine there is no state, either.
        if (await engine()) throw error;
        return [];
      }),
  };
}

/** The pending creates of a URN, or of any, without those of which the state has the outcome: an automatic label tells. */
function unsettledIn(
  { creates, entries }: Exported,
  urn: string | undefined,
  isOpen: (create: InterruptedCreate) => boolean = () => false,
): InterruptedCreate[] {
  const settled = new Set(entries.map(({ outputs }) => outputs["label"]).filter(isAutomaticLabel));
  const pending = creates.filter((create) => urn === undefined || isSameUrn(create.urn, urn));
  return pending.filter((create) => isOpen(create) || !settled.has(String(create.asked["label"])));
}

/** The engine writes each create down before it calls for it, unless it is told to write only when all is done. */
function isWrittenAtEachStep({ PULUMI_SKIP_CHECKPOINTS: skipped = "" }: NodeJS.ProcessEnv): boolean {
  return !/^(1|true)$/i.test(skipped);
}

/** Does work once for each stack, when it is first asked for. */
function onceForEach<Stack extends string | StackName, Result>(
  work: (stack: Stack) => Result,
): (stack: Stack) => Result {
  const done = new Map<string, Result>();
  return (stack) => {
    const name = typeof stack === "string" ? stack : fullName(stack);
    const known = done.get(name);
    if (known !== undefined) return known;
    const result = work(stack);
    done.set(name, result);
    return result;
  };
}

/** Does work that must not have begun before it was asked for. All who ask while it is being done share the next time. */
function begunAfterAsking<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<Result> | undefined;
  return () => {
    next ??= running.then(() => {
      next = undefined;
      const begun = work();
      running = begun.catch(() => undefined);
      return begun;
    });
    return next;
  };
}
