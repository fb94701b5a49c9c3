import { InitFailed } from "../../../provider/fronts/plugin/calls";
import { ResourceCalls } from "../../../provider/fronts/plugin/resourceCalls";
import {
  inputsFrom,
  originKey,
  PartialStateError,
  providerKey,
  type Runtime,
  type Values,
} from "../../../provider/lifecycle";
import { readOrigin } from "../../../provider/shared/urn";
import { getHandler } from "../../lifecycle/fakeEngine";
import { key } from "../../lifecycle/rig";
import { type Front, sent } from "./front";

/** The handlers as the plugin calls them for the engine. Its states have no `__provider`, and one from a dynamic resource loses it. */
export function pluginHost(type: string): Front {
  const handler = getHandler(type);
  const calls = (runtime: Runtime) =>
    new ResourceCalls({
      handlers: new Map([[type, handler]]),
      runtime: () => runtime,
      secrets: () => [key],
      organizationOf: async () => "organization",
      outputsOf: () => [],
    });
  return {
    inputs: (news) => news,
    demand: () => undefined,
    create: async (runtime, inputs) => {
      const call = { urn: urnOf(inputs), properties: inputs, timeout: 0, preview: false };
      const { id, properties } = await keepingProperties(() => calls(runtime).create(call));
      return { id, outputs: stored(properties) };
    },
    read: async (runtime, id, state) => {
      const inputs = inputsFrom(handler.inputs.shape, state);
      const found = await calls(runtime).read({ id, urn: urnOf(state), properties: state, inputs });
      return found && { id: found.id, outputs: stored(found.properties), inputs: stored(found.inputs) };
    },
    update: async (runtime, id, olds, news) => {
      const call = { id, urn: urnOf(news), olds, oldInputs: undefined, news, timeout: 0, preview: false };
      const { properties } = await keepingProperties(() => calls(runtime).update(call));
      return stored(properties);
    },
    delete: (runtime, id, state) =>
      calls(runtime).delete({ id, urn: urnOf(state), properties: state, inputs: {}, timeout: 0 }),
  };
}

async function keepingProperties<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof InitFailed)) throw error;
    throw new PartialStateError(error.message, error.id, stored(error.properties));
  }
}

/** What the engine has of it afterwards. */
function stored(values: Values): Values {
  if (providerKey in values) throw new Error(`${providerKey} is nothing that the plugin may carry on`);
  return sent(values);
}

function urnOf(values: Values): string {
  return readOrigin(values[originKey]).urn;
}
