import { planAdoption } from "../../cli/recovery/adopt";
import type { Search } from "../../cli/recovery/outcome";
import { planFrom, planPending, sortPending } from "../../cli/recovery/plan";
import { gpufleetType, resourcesOf, type State, type StateResource } from "../../cli/stack/state";
import { nameOf, type Runtime, type Values } from "../../provider/lifecycle";
import { typePrefix } from "../../sdk/stub";
import type { Rig } from "../lifecycle/rig";
import type { Kept, Stack } from "../lifecycle/stack";

export interface Adoption {
  id: string;
  name: string;
  type: string;
}

const organization = "organization";
const patience = 60_000;

/** `gpufleet recover` on the state of this stack; then once more with `--adopt` for each machine. Gives what it says. */
export async function recover(rig: Rig, stack: Stack, adoptions: readonly Adoption[]): Promise<string[]> {
  const said: string[] = [];
  const settle = async () => {
    const state = exportState(stack);
    const search = searchFor(rig, state);
    const pending = sortPending(state, openInputs);
    const plan = planFrom(state, await rig.run(planPending(search, state, pending)));
    importState(stack, plan.after);
    said.push(...plan.lines);
  };
  await settle();
  for (const { id, name, type } of adoptions) {
    const state = exportState(stack);
    const adoption = { id, urn: stack.urn(type, name), force: false };
    const circumstances = { state, pending: undefined, openInputs, organization };
    const decision = await rig.run(planAdoption(searchFor(rig, state), adoption, circumstances));
    if (!decision) continue;
    importState(stack, planFrom(state, [decision]).after);
    said.push(decision.line);
  }
  return said;
}

function searchFor(rig: Rig, state: State): Search {
  const runtime = rig.startProvider();
  rememberState(runtime, state);
  const { reconcileSeconds } = runtime.settings;
  return { runtime, until: rig.clock.now() + reconcileSeconds * 1000, since: undefined, patience };
}

/** What the state holds under an id of its own is nobody else's outcome. */
function rememberState(runtime: Runtime, state: State): void {
  for (const resource of resourcesOf(state)) {
    const type = gpufleetType(resource);
    if (type !== undefined && resource.id !== undefined) runtime.memory.remember(type, resource.id, resource.urn);
  }
}

function openInputs({ inputs = {} }: StateResource): Values {
  return inputs;
}

/** The state as `pulumi stack export` would give it. */
export function exportState(stack: Stack): State {
  const root = { urn: siblingUrn(stack, "pulumi:pulumi:Stack", "rig-test"), type: "pulumi:pulumi:Stack" };
  const provider = {
    urn: siblingUrn(stack, "pulumi:providers:pulumi-nodejs", "default"),
    type: "pulumi:providers:pulumi-nodejs",
    id: "provider-id",
  };
  const ours = (kept: Pick<Kept, "name" | "type" | "inputs">) => ({
    urn: stack.urn(kept.type, kept.name),
    type: `${typePrefix}${kept.type}`,
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
function siblingUrn(stack: Stack, type: string, name: string): string {
  return stack.urn("", name).replace(typePrefix, type);
}

/** `pulumi stack import`, which drops every pending operation. */
export function importState(stack: Stack, state: State): void {
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
