import { z } from "zod";
import {
  type Dependencies,
  type InterruptedCreate,
  importedKey,
  type OwnCreate,
  openEntry,
  type StackAtHand,
  type StackName,
  type StateEntry,
  type StateWitness,
} from "../lifecycle";
import { getOrMake } from "../shared/getOrMake";
import { isAutomaticLabel } from "../shared/label";
import { withoutSecrets } from "../shared/secretValue";
import { fullName } from "../shared/stackName";
import { isSameUrn, resourceTypeOf } from "../shared/typeToken";
import { providerIn } from "../shared/urn";
import { type FindEngine, findEngine, followsPlan, ignoresProtect } from "./engineCommand";
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
            replaceWith: z.array(z.string()).nullish(),
            /** What the program has to be run for at some moments, by these: `BeforeDelete`. */
            resourceHooks: z.record(z.string(), z.array(z.string()).nullish()).nullish(),
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
            resource: z.object({
              urn: z.string(),
              id: z.string().optional(),
              inputs: z.record(z.string(), z.unknown()).optional(),
            }),
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

/** How the run was started in which the state is read. */
interface Circumstances {
  ignoresProtect?: boolean;
  /** The engine writes down each step, unless it is told to write only when all is done. */
  isWrittenAtEachStep?: boolean;
}

export function readExport(
  text: string,
  { ignoresProtect = false, isWrittenAtEachStep = true }: Circumstances = {},
): Exported {
  const read = deployment.parse(JSON.parse(text)).deployment;
  const pending = read?.pending_operations ?? [];
  const resources = (read?.resources ?? []).map((one) => (ignoresProtect ? { ...one, protect: false } : one));
  const isBeingDeleted = ({ urn, id }: StateEntry) =>
    pending.some(({ type, resource: one }) => type === "deleting" && one.urn === urn && one.id === id);
  return {
    entries: ownEntries(resources).map((entry) => (isBeingDeleted(entry) ? { ...entry, isBeingDeleted: true } : entry)),
    dependencies: {
      ...dependenciesIn(resources),
      beingDeleted: pending.flatMap(({ type, resource: { urn } }) => (type === "deleting" ? [urn] : [])),
      isCurrent: isWrittenAtEachStep,
    },
    creates: createsIn(pending),
  };
}

type Resources = NonNullable<Deployment["resources"]>;

/**
 * By places in the list, what each depends on directly. As the engine reads it: what is written before it and is named by it, its parent and its
 * provider included; of a component all that it has, too.
 */
function needsOf(resources: Resources): number[][] {
  const places = new Map<string, number[]>();
  const inside = new Map<string, number[]>();
  const parents = new Map(resources.map(({ urn, parent }) => [urn, parent]));
  return resources.map((resource, place) => {
    const { urn, dependencies, propertyDependencies, parent, provider, deletedWith, replaceWith } = resource;
    const listed = Object.values(propertyDependencies ?? {}).flatMap((some) => some ?? []);
    const others = [deletedWith, provider && providerIn(provider)].filter((one) => one !== undefined);
    const named = [...(dependencies ?? []), ...listed, ...(replaceWith ?? []), ...others];
    const isComponent = (one: number) => !resources[one]?.custom;
    const found = named.flatMap((one) => {
      const at = places.get(one) ?? [];
      return at.some(isComponent) ? [...at, ...(inside.get(one) ?? [])] : at;
    });
    const needs = [...found, ...(places.get(parent ?? "") ?? [])];
    getOrMake(places, urn, () => []).push(place);
    for (let at = parent; at !== undefined; at = parents.get(at)) getOrMake(inside, at, () => []).push(place);
    return needs;
  });
}

function dependenciesIn(resources: Resources): Pick<Dependencies, "dependentsOf" | "roundOf"> {
  let read: number[][] | undefined;
  const needs = () => (read ??= needsOf(resources));
  return {
    dependentsOf(urns) {
      const found = new Set<number>();
      return resources.flatMap(({ urn, custom, protect }, place) => {
        const isDependent = needs()[place]?.some((one) => found.has(one)) ?? false;
        if (isDependent || urns.includes(urn)) found.add(place);
        return isDependent
          ? [{ urn, ...(!custom && { isComponent: true }), ...(protect && { isProtected: true }) }]
          : [];
      });
    },
    roundOf(urn) {
      const rounds: number[] = [];
      for (const some of needs())
        rounds.push(some.reduce((highest, one) => Math.max(highest, (rounds[one] ?? 0) + 1), 0));
      return rounds[resources.findIndex((one) => one.urn === urn)];
    },
  };
}

function ownEntries(resources: Resources): StateEntry[] {
  return resources.flatMap((resource) => {
    const { urn, type: token, id, inputs, external, provider, outputs, delete: isReplaced, customTimeouts } = resource;
    const type = resourceTypeOf(token);
    if (type === undefined || !id || external) return [];
    return [
      openEntry({
        urn,
        type,
        id,
        outputs: outputs ?? {},
        ...(isReplaced && { isReplaced }),
        ...((resource.protect || resource.retainOnDelete) && { isKept: true }),
        ...(resource.resourceHooks?.["BeforeDelete"]?.length && { hasDeleteHooks: true }),
        ...(inputs?.[importedKey] === true && { isImported: true }),
        ...(customTimeouts?.delete && { deleteSeconds: customTimeouts.delete }),
        ...(provider !== undefined && { provider: providerIn(provider) }),
      }),
    ];
  });
}

function createsIn(pending: NonNullable<Deployment["pending_operations"]>): InterruptedCreate[] {
  const creates = pending.filter(({ type }) => type === "creating");
  return creates.map(({ resource: { urn, inputs = {} } }) => {
    const { open: asked, secrets } = withoutSecrets(inputs);
    return { urn, asked, ...(secrets.length > 0 && { secrets }) };
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
  const isWritten = isWrittenAtEachStep(environment);
  const exported = async (name: string) => {
    const [text, run] = await Promise.all([exportStack(pulumi, name), engine()]);
    const circumstances = {
      isWrittenAtEachStep: isWritten,
      ignoresProtect: ignoresProtect(run?.words ?? [], environment),
    };
    return readExport(text, circumstances);
  };
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
      return now === true ? entriesIn(latest(name)()) : entriesOf(name);
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
