import { hosted, InitError } from "../../../provider/fronts";
import { PartialStateError, providerKey, type Runtime, type Values } from "../../../provider/lifecycle";
import { stub } from "../../../provider/shared/stub";
import { getHandler } from "../../lifecycle/fakeEngine";
import { key } from "../../lifecycle/rig";
import { type Front, sent } from "./front";

/**
 * The handlers as Pulumi's dynamic host calls them, through the provider's own adapter and with the host's own traps
 * (docs/internals/host-and-engine.md): what it cannot send loses the id, and a state without `__provider` can never be worked on again.
 */
export function dynamicHost(type: string): Front {
  const handler = getHandler(type);
  const host = (runtime: Runtime) => {
    const complete = { runtime, secrets: () => [key] };
    return hosted(handler, () => complete);
  };
  return {
    inputs: (news) => ({ ...news, [providerKey]: stub(type) }),
    demand: demandStub,
    create: async (runtime, inputs) => {
      const { id, outs } = await keepingProperties(() => host(runtime).create(inputs));
      return { id: sentId(id), outputs: withStub(sent(outs), inputs) };
    },
    read: async (runtime, id, state) => {
      const found = await host(runtime).read(id, state);
      if (found.id === undefined || found.id === "") return undefined;
      const [outputs, inputs] = [withStub(sent(found.props), state), withStub(sent(found.inputs), state)];
      return { id: found.id, outputs, inputs };
    },
    update: async (runtime, id, olds, news) => {
      const { outs } = await keepingProperties(() => host(runtime).update(id, olds, news));
      return withStub(sent(outs), news);
    },
    delete: (runtime, id, state) => host(runtime).delete(id, state),
  };
}

async function keepingProperties<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof InitError)) throw error;
    // What is not among the properties is not in the state, whatever the inputs were.
    const kept = error.properties[providerKey] ?? null;
    throw new PartialStateError(error.message, error.id, { ...sent(error.properties), [providerKey]: kept });
  }
}

function demandStub(state: Values): void {
  if (typeof state[providerKey] !== "string") throw new Error("code must be a string, not undefined");
}

function withStub(values: Values, from: Values): Values {
  return { ...values, [providerKey]: from[providerKey] };
}

function sentId(id: string): string {
  return typeof id === "string" ? id : "";
}
