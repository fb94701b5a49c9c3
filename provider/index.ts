import { cleanText } from "./client";
import { type Handler, messageOf, originKey, PartialStateError, providerKey, type Values } from "./lifecycle";
import { plainObject } from "./plain";
import { ProcessRuntime } from "./processRuntime";
import { bareMetalRental } from "./resources/bareMetalRental";
import { fleetReady } from "./resources/fleetReady";
import { marketplaceInstance } from "./resources/marketplaceInstance";
import { storageVolume } from "./resources/storageVolume";
import { vmRental } from "./resources/vmRental";
import { volumeAttachment } from "./resources/volumeAttachment";

/** Resource type → handler. */
export const handlers: ReadonlyMap<string, Handler> = new Map(
  [bareMetalRental, vmRental, storageVolume, volumeAttachment, marketplaceInstance, fleetReady].map((handler) => [
    handler.type,
    handler,
  ]),
);

/** One per process: what one resource learns, the others use. */
let runtime = new ProcessRuntime(() => undefined);
let configured: unknown;

/**
 * A handler as Pulumi's dynamic-provider host calls it. The traps of that host are met here and nowhere else: what it
 * cannot send is taken out, errors carry `__provider` along, and nothing reaches the terminal that should not.
 */
export function handler(type: string) {
  const found = handlers.get(type);
  if (!found) throw new Error(`pulumi-gpufleet has no resource ${type}; it has ${[...handlers.keys()].join(", ")}`);
  return {
    // Synchronous and infallible: the host does not await it for calls that arrive meanwhile.
    configure: async ({ config }: { config: { get(key: string): string | undefined } }) => {
      if (configured !== undefined) return;
      configured = config;
      runtime = new ProcessRuntime((key) => config.get(`gpufleet:${key}`));
    },
    check: (olds: Values, news: Values) =>
      guard(news, async () => {
        const { inputs, failures } = found.check(runtime, olds, news);
        return { inputs: send(inputs), failures };
      }),
    diff: (id: string, olds: Values, news: Values) =>
      guard(news, async () => ({ ...found.diff(runtime, id, olds, news), deleteBeforeReplace: false })),
    create: (inputs: Values) =>
      guard(inputs, async () => {
        const { id, outputs } = await found.create(runtime, inputs);
        return { id, outs: send({ ...inputs, ...outputs }) };
      }),
    read: (id: string, state: Values) =>
      guard(state, async () => {
        const result = await found.read(runtime, id, state);
        // An empty answer is how the host is told that it is gone.
        if (!result) return {};
        const origin = { [originKey]: state[originKey] };
        return { id, props: send({ ...origin, ...result.outputs }), inputs: send({ ...origin, ...result.inputs }) };
      }),
    update: (id: string, olds: Values, news: Values) =>
      guard(news, async () => ({ outs: send({ ...news, ...(await found.update(runtime, id, olds, news)) }) })),
    delete: (id: string, state: Values) => guard(state, () => found.delete(runtime, id, state)),
  };
}

function send(values: Values): Values {
  return plainObject(Object.entries(values));
}

/** Longest error shown; more than this helps nobody. */
const longestError = 4000;

async function guard<Result>(values: Values, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const message = cleanText(messageOf(error), { secrets: runtime.secrets(), max: longestError });
    throw error instanceof PartialStateError
      ? new InitError(message, error.id, send({ ...values, ...error.outputs, [providerKey]: values[providerKey] }))
      : new ShownError(message);
  }
}

/** An error as the host prints it: the message, and no stack of ours below it. */
class ShownError extends Error {
  constructor(message: string) {
    super(message);
    this.stack = "";
  }
}

/** What the host saves as a resource with init errors. Without `__provider` no later operation on it could run. */
class InitError extends ShownError {
  readonly reasons: string[];

  constructor(
    message: string,
    readonly id: string,
    readonly properties: Values,
  ) {
    super(message);
    this.reasons = [message];
  }
}
