import { atOtherAddress, inOtherAccount, listHoldings, refuseMisplaced } from "../../../cli/account";
import { planAdoption } from "../../../cli/commands/recover/adopt";
import { planNothingMade } from "../../../cli/commands/recover/nothingMade";
import { hintsAboutOrphans } from "../../../cli/commands/recover/orphanHints";
import type { Search } from "../../../cli/commands/recover/outcome";
import { type Decision, planFrom, planPending, sortPending } from "../../../cli/commands/recover/plan";
import { gpufleetType, resourcesOf, type State, type StateResource, writtenAt } from "../../../cli/stack/state";
import { noWitness, RefusedError, type Values } from "../../../provider/lifecycle";
import { dynamicPrefix } from "../../../provider/shared/typeToken";
import { nameOf, readUrn } from "../../../provider/shared/urn";
import type { FakeEngine, Kept, Program } from "../../lifecycle/fakeEngine";
import type { Rig, Surroundings } from "../../lifecycle/rig";

const organization = "organization";
const readyTimeout = 60_000;

/** Where `gpufleet recover` is run. */
export interface Recovery {
  rig: Rig;
  stack: FakeEngine;
  /** The other stacks of the backend. */
  neighbours: readonly FakeEngine[];
  program: Program;
  /** Where it goes instead, and as whom, if that is by mistake. */
  surroundings?: Surroundings | undefined;
}

/**
 * `gpufleet recover` on the state of this stack; then once more with `--adopt` for each machine that it points to, because
 * the engine kept no record of it. Gives everything that it says.
 */
export async function recover(recovery: Recovery): Promise<string[]> {
  const { rig, stack } = recovery;
  const state = exportState(stack);
  const search = searchFor(recovery, state);
  const refused = await rig.run(whyRefused(search, state));
  if (refused !== undefined) return [refused];
  const { lines, after } = planFrom(state, await rig.run(planPending(search, state, sortPending(state, readInputs))));
  importState(stack, after);
  const { project, stack: name } = readUrn(stack.urn("", ""));
  const identity = { organization, project, stack: name };
  const { hints } = await rig.run(hintsAboutOrphans(search.runtime, after, identity));
  const adopted: string[] = [];
  for (const hint of hints) {
    const [, id, urn] = /--adopt (\S+) --urn '([^']+)'/.exec(hint) ?? [];
    if (id !== undefined && urn !== undefined) adopted.push(...(await recoverAdopting(recovery, id, urn)));
  }
  return [...lines, ...hints, ...adopted];
}

/** Another service or another account than those of the state is refused. */
async function whyRefused({ runtime }: Search, state: State): Promise<string | undefined> {
  try {
    refuseMisplaced(atOtherAddress(state, runtime.service));
    const { lists } = await listHoldings(runtime, state);
    refuseMisplaced(inOtherAccount(state, runtime, lists));
    return undefined;
  } catch (error) {
    if (error instanceof RefusedError) return error.message;
    throw error;
  }
}

/** `gpufleet recover --adopt ID --urn URN`. */
export async function recoverAdopting(recovery: Recovery, id: string, urn: string): Promise<string[]> {
  const { rig, stack, program } = recovery;
  const state = exportState(stack);
  const inputs = async () => {
    const asked = program[nameOf(urn)]?.inputs ?? {};
    return typeof asked === "function" ? {} : asked;
  };
  const planned = { inputs, secrets: async () => [] };
  const context = { state, pending: undefined, readInputs, organization, program: planned };
  const take = (force: boolean) => rig.run(planAdoption(searchFor(recovery, state), { id, urn, force }, context));
  // It may have ended since somebody was told of it.
  return orRefusal(/there is no .* to take over/, async () => {
    const decision = await take(false).catch((error: unknown) => {
      // The program has changed since: whose it is its mark tells, and the refusal says that --force takes it all the same.
      if (!(error instanceof RefusedError && /--force/.test(error.message))) throw error;
      return take(true);
    });
    return decision ? apply(stack, state, [decision]) : [];
  });
}

/** What a command says, or that it refuses for this reason: then all stays as it is. */
async function orRefusal(reason: RegExp, run: () => Promise<string[]>): Promise<string[]> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof RefusedError && reason.test(error.message)) return [error.message];
    throw error;
  }
}

/** `gpufleet recover --nothing-made --urn URN`. */
export async function recoverNothingMade(recovery: Recovery, urn: string): Promise<string[]> {
  const { rig, stack } = recovery;
  const state = exportState(stack);
  const { runtime } = searchFor(recovery, state);
  // Where it is there, something else keeps `up` from taking it over, such as a limit.
  return orRefusal(/so it was created/, async () =>
    apply(stack, state, await rig.run(planNothingMade(runtime, { state, urn, pending: [], force: false }))),
  );
}

/** The pending operations stay: a person who settles one create has run `gpufleet recover` before. */
function apply(stack: FakeEngine, state: State, decisions: readonly Decision[]): string[] {
  const { lines, after } = planFrom(state, decisions);
  importState(stack, after);
  return lines;
}

function searchFor({ rig, stack, neighbours, surroundings }: Recovery, state: State): Search {
  const runtime = rig.startProvider({}, surroundings);
  const entries = stack.entries();
  runtime.state = {
    ...noWitness,
    entries: async () => entries,
    elsewhere: async () => neighbours.flatMap((one) => one.entries()),
    isWhole: async () => true,
  };
  for (const resource of resourcesOf(state)) {
    const type = gpufleetType(resource);
    if (type !== undefined && resource.id !== undefined) runtime.memory.remember(type, resource.id, resource.urn);
  }
  return { runtime, readyTimeout, stateTime: writtenAt(state) };
}

function readInputs({ inputs = {} }: StateResource): Values {
  return inputs;
}

/** The state as `pulumi stack export` would give it. */
export function exportState(stack: FakeEngine): State {
  const root = { urn: siblingUrn(stack, "pulumi:pulumi:Stack", "rig-test"), type: "pulumi:pulumi:Stack" };
  const provider = {
    urn: siblingUrn(stack, "pulumi:providers:pulumi-nodejs", "default"),
    type: "pulumi:providers:pulumi-nodejs",
    id: "provider-id",
  };
  const ours = (kept: Pick<Kept, "name" | "type" | "inputs">) => ({
    urn: stack.urn(kept.type, kept.name),
    type: `${dynamicPrefix}${kept.type}`,
    custom: true,
    inputs: kept.inputs,
    parent: root.urn,
    provider: `${provider.urn}::${provider.id}`,
  });
  const held = (kept: Kept) => ({
    ...ours(kept),
    id: kept.id,
    outputs: kept.outputs,
    ...(kept.initError !== undefined && { initErrors: [kept.initError] }),
  });
  return {
    version: 3,
    deployment: {
      manifest: { time: new Date(stack.writtenAt).toISOString() },
      resources: [
        root,
        provider,
        ...stack.condemned.map((kept) => ({ ...held(kept), delete: true })),
        ...Array.from(stack.state.values(), held),
      ],
      pending_operations: stack.pending.map((begun) => ({ type: "creating", resource: ours(begun) })),
    },
  };
}

/** The URN of another resource of the stack. */
function siblingUrn(stack: FakeEngine, type: string, name: string): string {
  return stack.urn("", name).replace(dynamicPrefix, type);
}

/** `pulumi stack import`, which drops every pending operation. */
export function importState(stack: FakeEngine, state: State): void {
  stack.pending.length = 0;
  stack.condemned.length = 0;
  stack.state.clear();
  for (const resource of resourcesOf(state)) {
    const type = gpufleetType(resource);
    if (type === undefined) continue;
    const kept = keptOf(resource, type);
    if (resource.delete) stack.condemned.push(kept);
    else stack.state.set(kept.name, kept);
  }
}

function keptOf(resource: StateResource, type: string): Kept {
  const { initErrors } = resource;
  return {
    name: nameOf(resource.urn),
    type,
    id: resource.id ?? "",
    inputs: resource.inputs ?? {},
    outputs: resource.outputs ?? {},
    initError: Array.isArray(initErrors) ? initErrors.join("; ") : undefined,
  };
}
