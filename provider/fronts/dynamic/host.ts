import { isDeepStrictEqual } from "node:util";
import {
  askedFor,
  type Handler,
  inputsFrom,
  originKey,
  PartialStateError,
  providerKey,
  type Runtime,
  type Values,
  visible,
} from "../../lifecycle";
import { secret } from "../../shared/secretValue";
import { secretInputsKey } from "../../shared/stub";
import { sendable, shownMessage, toldByEngine } from "../answers";
import { withAskedMarks } from "../secretMarks";
import { SecretValues } from "../secretValues";

/** What an operation works with, and what must never be shown of it. */
export interface HostedRuntime {
  runtime: Runtime;
  secrets(): readonly string[];
}

/** What this process knows of the host's calls, of all resources together. */
export interface HostCalls {
  /** How many are under way. */
  open: number;
  /** Whether a create or an update has failed. */
  hasFailed: boolean;
  secretValues: SecretValues;
}

export function newCalls(): HostCalls {
  return { open: 0, hasFailed: false, secretValues: new SecretValues() };
}

/**
 * A handler as Pulumi's dynamic-provider host calls it. The traps of that host are met here and nowhere else: what it
 * cannot send is taken out, errors carry `__provider` along, and nothing reaches the terminal that should not.
 */
export function hosted(found: Handler, current: () => HostedRuntime, calls: HostCalls = newCalls()) {
  const noteSecrets = (values: Values) =>
    calls.secretValues.note(secretNames(values).map((name) => [values[name], askedFor(name, values)]));
  const guarded = async <Result>(values: Values, call: (runtime: Runtime) => Promise<Result>) => {
    calls.open += 1;
    noteSecrets(values);
    try {
      return await guard(current(), calls, values, call);
    } finally {
      calls.open -= 1;
    }
  };
  const guardedChange = async <Result>(values: Values, call: (runtime: Runtime) => Promise<Result>) => {
    try {
      return await guarded(values, call);
    } catch (error) {
      calls.hasFailed = true;
      throw error;
    }
  };
  const send = (values: Values, given: Values) =>
    withAskedMarks(secretsIn(given), sendable(values, given, current().secrets()));
  const former = new FormerInputs();
  return {
    check: (olds: Values, given: Values) =>
      guarded(given, async (runtime) => {
        former.note(olds, given);
        const secrets = secretNames(given);
        const { inputs, failures } = found.check(runtime, olds, given);
        const told = toldByEngine(failures, { ...calls, isSecret: (property) => secrets.includes(property) });
        return { inputs: send(inputs, given), failures: told };
      }),
    diff: (id: string, olds: Values, news: Values) =>
      guarded(news, async (runtime) => {
        noteSecrets(olds);
        const { changes, replaces } = found.diff(runtime, id, olds, news);
        const checked = former.take(news);
        const before = () => checked ?? inputsFrom(found.inputs.shape, olds);
        const isLeftToEngine = changes && !isDeepStrictEqual(visible(before()), visible(news));
        // What the plugin wrote lacks what the host runs: it is written anew, or nothing could be done with it any more.
        const isOfPlugin = olds[providerKey] === undefined && news[providerKey] !== undefined;
        // What has become a secret is in clear in what was written before.
        const isHiddenNow = secretNames(news).some((name) => !secretNames(olds).includes(name));
        return {
          changes: isLeftToEngine ? undefined : changes || isOfPlugin || isHiddenNow,
          replaces,
          deleteBeforeReplace: false,
        };
      }),
    create: (inputs: Values) =>
      guardedChange(inputs, async (runtime) => {
        const { id, outputs } = await found.create(runtime, inputs);
        return { id: String(id), outs: send({ ...inputs, ...outputs }, inputs) };
      }),
    read: (id: string, state: Values) =>
      guarded(state, async (runtime) => {
        const result = await found.read(runtime, id, state);
        // An empty answer is how the host is told that it is gone.
        if (!result) return {};
        const ours = { [originKey]: state[originKey], [secretInputsKey]: state[secretInputsKey] };
        const written = (values: Values) => send({ ...ours, ...values }, state);
        return { id: result.id ?? id, props: written(result.outputs), inputs: written(result.inputs) };
      }),
    update: (id: string, olds: Values, news: Values) =>
      guardedChange(news, async (runtime) => {
        noteSecrets(olds);
        const outputs = { ...news, ...(await found.update(runtime, id, olds, news)) };
        return { outs: send({ ...outputs, [secretInputsKey]: news[secretInputsKey] }, news) };
      }),
    delete: (id: string, state: Values) => guarded(state, (runtime) => found.delete(runtime, id, state)),
  };
}

/**
 * The inputs as the engine has them in its state. A diff gets the outputs instead, and the engine can compare inputs better than
 * the host lets anyone tell it: property by property, with `replaceOnChanges`. So where they differ it is left to the engine.
 */
class FormerInputs {
  private readonly byOrigin = new Map<unknown, Values>();

  /** The engine checks what it is about to compare. What is new, or about to replace another, has no inputs from before. */
  note(olds: Values, news: Values): void {
    if (Object.keys(olds).length > 0) this.byOrigin.set(news[originKey], olds);
  }

  /** Undefined where nothing was checked: a refresh only compares. */
  take(news: Values): Values | undefined {
    const inputs = this.byOrigin.get(news[originKey]);
    this.byOrigin.delete(news[originKey]);
    return inputs;
  }
}

/** The inputs that are secret: the engine hands them over unmarked, and the SDK says which they are. */
function secretNames(values: Values): string[] {
  const names = values[secretInputsKey];
  return Array.isArray(names) ? names.map(String) : [];
}

/** The same, marked. */
function secretsIn(values: Values): Values {
  return Object.fromEntries(secretNames(values).map((name) => [name, secret(values[name])]));
}

async function guard<Result>(
  { runtime, secrets }: HostedRuntime,
  { secretValues }: HostCalls,
  values: Values,
  call: (runtime: Runtime) => Promise<Result>,
): Promise<Result> {
  try {
    return await call(runtime);
  } catch (error) {
    const message = secretValues.redact(shownMessage(error, secrets()));
    if (!(error instanceof PartialStateError)) throw new ShownError(message);
    const properties = { ...values, ...error.outputs, [providerKey]: values[providerKey] };
    throw new InitError(message, error.id, withAskedMarks(secretsIn(values), sendable(properties, values, secrets())));
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
