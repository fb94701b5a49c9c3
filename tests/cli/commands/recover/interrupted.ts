/** A stack whose run was killed: what the engine would have written down, and what the service has made of it. */
import { decryptedInputsOf } from "../../../../cli/commands/recover/decryptedInputs";
import type { ManagedResource } from "../../../../cli/commands/recover/managedResource";
import type { Search } from "../../../../cli/commands/recover/outcome";
import { type Decision, planPending, sortPending } from "../../../../cli/commands/recover/plan";
import type { Program } from "../../../../cli/commands/recover/program";
import type { unresolvedEntry } from "../../../../cli/commands/recover/stateEntry";
import { Stack } from "../../../../cli/stack/stack";
import type { PendingOperation, State, StateResource } from "../../../../cli/stack/state";
import { handlers } from "../../../../provider";
import {
  type Handler,
  inputsFrom,
  noWitness,
  originKey,
  providerKey,
  type StateWitness,
  type Values,
  type View,
} from "../../../../provider/lifecycle";
import { stub } from "../../../../provider/shared/stub";
import { dynamicPrefix } from "../../../../provider/shared/typeToken";
import { baseUrl, type ProviderProcess, type Rig } from "../../../lifecycle/rig";

export const rootUrn = "urn:pulumi:dev::fleet::pulumi:pulumi:Stack::fleet-dev";
const providerUrn = "urn:pulumi:dev::fleet::pulumi:providers:pulumi-nodejs::default";

export const urnOf = (type: string, name: string) => `urn:pulumi:dev::fleet::${dynamicPrefix}${type}::${name}`;

export function getHandler(type: string): Handler {
  const handler = handlers.get(type);
  if (!handler) throw new Error(`no handler of ${type}`);
  return handler;
}

/** The inputs as check leaves them, label and all. */
export function checked(runtime: ProviderProcess, type: string, name: string, inputs: Values): Values {
  const hidden = { [originKey]: `organization/${urnOf(type, name)}`, [providerKey]: stub(type) };
  const result = getHandler(type).check(runtime, {}, { ...inputs, ...hidden });
  if (result.failures.length > 0) throw new Error(JSON.stringify(result.failures));
  return result.inputs;
}

/** Sends the request of a create, as the provider did before it was killed. */
export async function post(rig: Rig, type: string, inputs: Values): Promise<View> {
  const { owned: definition } = getHandler(type);
  if (!definition?.post) throw new Error(`${type} rents nothing`);
  return definition.post(
    rig.client,
    definition.inputs.parse(inputsFrom(definition.inputs.shape, inputs)),
    {},
    rig.startProvider(),
  );
}

export function resourceOf(type: string, name: string, inputs: Values): StateResource {
  return {
    urn: urnOf(type, name),
    custom: true,
    type: `${dynamicPrefix}${type}`,
    inputs,
    parent: rootUrn,
    provider: `${providerUrn}::provider-id`,
  };
}

export function creating(type: string, name: string, inputs: Values): PendingOperation {
  return { type: "creating", resource: resourceOf(type, name, inputs) };
}

export function managed(type: string, name: string, inputs: Values): ManagedResource {
  return { handler: getHandler(type), resource: resourceOf(type, name, inputs), inputs };
}

export function stateWith(resources: StateResource[], pending: PendingOperation[] = []): State {
  const root = { urn: rootUrn, custom: false, type: "pulumi:pulumi:Stack" };
  const provider = { urn: providerUrn, custom: true, id: "provider-id", type: "pulumi:providers:pulumi-nodejs" };
  return {
    version: 3,
    deployment: { resources: [root, provider, ...resources], pending_operations: pending },
  };
}

/** A program of which there is no preview to be had. */
export const noProgram: Pick<Program, "inputs" | "secrets"> = { inputs: async () => ({}), secrets: async () => [] };

/** What other stacks have where all could be read: nothing. */
export const noOthers: StateWitness = { ...noWitness, isWhole: async () => true };

/** A provider of the only stack of its backend. */
export function startAlone(rig: Rig): ProviderProcess {
  const runtime = rig.startProvider();
  runtime.state = noOthers;
  return runtime;
}

export function searchOf(runtime: ProviderProcess, more: Partial<Search> = {}): Search {
  return { runtime, readyTimeout: 60_000, ...more };
}

/** What is decided on the pending operations of this state. */
export async function decide(rig: Rig, search: Search, state: State): Promise<Decision[]> {
  // States of tests have no secrets, so `pulumi` is not asked.
  const readInputs = await decryptedInputsOf(new Stack({ cwd: "." }), state);
  return rig.run(planPending(search, state, sortPending(state, readInputs)));
}

/** A run of the command at this time. */
export function runningAt(time: number): Parameters<typeof unresolvedEntry>[2] {
  return {
    clock: { now: () => time },
    service: { addresses: { v2: baseUrl, v1: baseUrl }, key: "rig", movedFrom: [] },
  };
}
