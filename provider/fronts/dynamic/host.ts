import { isDeepStrictEqual } from "node:util";
import {
  type Handler,
  messageOf,
  originKey,
  PartialStateError,
  providerKey,
  type Runtime,
  type Values,
} from "../../lifecycle";
import { cleanText, redact } from "../../shared/cleanText";
import { plainObject } from "../../shared/plain";

/** What an operation works with, and what must never be shown of it. */
export interface HostedRuntime {
  runtime: Runtime;
  secrets(): readonly string[];
}

/** How many calls of the host are under way. */
export interface OpenCalls {
  open: number;
}

/**
 * A handler as Pulumi's dynamic-provider host calls it. The traps of that host are met here and nowhere else: what it
 * cannot send is taken out, errors carry `__provider` along, and nothing reaches the terminal that should not.
 */
export function hosted(found: Handler, current: () => HostedRuntime, calls: OpenCalls = { open: 0 }) {
  const guarded = async <Result>(values: Values, call: (runtime: Runtime) => Promise<Result>) => {
    calls.open += 1;
    try {
      return await guard(current(), values, call);
    } finally {
      calls.open -= 1;
    }
  };
  const send = (values: Values, given: Values) => sendable(values, given, current().secrets());
  return {
    check: (olds: Values, news: Values) =>
      guarded(news, async (runtime) => {
        const { inputs, failures } = found.check(runtime, olds, news);
        return { inputs: send(inputs, news), failures };
      }),
    diff: (id: string, olds: Values, news: Values) =>
      guarded(news, async (runtime) => ({ ...found.diff(runtime, id, olds, news), deleteBeforeReplace: false })),
    create: (inputs: Values) =>
      guarded(inputs, async (runtime) => {
        const { id, outputs } = await found.create(runtime, inputs);
        return { id: String(id), outs: send({ ...inputs, ...outputs }, inputs) };
      }),
    read: (id: string, state: Values) =>
      guarded(state, async (runtime) => {
        const result = await found.read(runtime, id, state);
        // An empty answer is how the host is told that it is gone.
        if (!result) return {};
        const origin = { [originKey]: state[originKey] };
        const written = (values: Values) => send({ ...origin, ...values }, state);
        return { id, props: written(result.outputs), inputs: written(result.inputs) };
      }),
    update: (id: string, olds: Values, news: Values) =>
      guarded(news, async (runtime) => ({
        outs: send({ ...news, ...(await found.update(runtime, id, olds, news)) }, news),
      })),
    delete: (id: string, state: Values) => guarded(state, (runtime) => found.delete(runtime, id, state)),
  };
}

/** What the host can send, without the secrets that a service may have put into its answers. What was given stays as it is. */
function sendable(values: Values, given: Values, secrets: readonly string[]): Values {
  const clean = (text: string) => redact(text, secrets);
  return plainObject(Object.entries(values), (key) => (isDeepStrictEqual(values[key], given[key]) ? undefined : clean));
}

/** Longest error shown; more than this helps nobody. */
const longestError = 4000;

async function guard<Result>(
  { runtime, secrets }: HostedRuntime,
  values: Values,
  call: (runtime: Runtime) => Promise<Result>,
): Promise<Result> {
  try {
    return await call(runtime);
  } catch (error) {
    const message = cleanText(messageOf(error), { secrets: secrets(), max: longestError });
    throw error instanceof PartialStateError
      ? new InitError(
          message,
          error.id,
          sendable({ ...values, ...error.outputs, [providerKey]: values[providerKey] }, values, secrets()),
        )
      : new ShownError(message);
  }
}

/**
 * An error as people see it. The engine shows its message with the resource. For reading, checking, comparing and deleting the
 * host also prints the error with its stack, out of context: there it only says where to look.
 */
class ShownError extends Error {
  constructor(message: string) {
    super(message);
    this.stack = "failed; the error is shown with the resource";
  }

  override toString(): string {
    const end = this.message.indexOf(": ");
    return end < 0 ? "pulumi-gpufleet" : this.message.slice(0, end);
  }
}

/** What the host saves as a resource with init errors. Without `__provider` no later operation on it could run. */
export class InitError extends ShownError {
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
