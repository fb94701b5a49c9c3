import { hosted, InitError } from "../../../provider/fronts";
import {
  type Handler,
  originKey,
  PartialStateError,
  providerKey,
  type Runtime,
  type Values,
} from "../../../provider/lifecycle";
import { stub } from "../../../provider/shared/stub";
import { nameOf, readOrigin } from "../../../provider/shared/urn";
import { getHandler } from "../../lifecycle/fakeEngine";
import { key } from "../../lifecycle/rig";
import type { Command } from "./command";
import { type RunningOperation, runningOperation } from "./truth";

/** One call of a handler and how long it took. */
export interface Timed {
  operation: "create" | "read" | "update" | "delete";
  type: string;
  milliseconds: number;
}

/**
 * The handlers as Pulumi's dynamic host calls them, through the provider's own adapter and with the host's own traps
 * (docs/internals/host-and-engine.md): what it cannot send loses the id, and a state without `__provider` can never be worked on again.
 */
export function hostedHandler(type: string, current: () => Command, timed: Timed[]): Handler {
  const handler = getHandler(type);
  const host = (runtime: Runtime) => {
    const complete = { runtime, secrets: () => [key] };
    return hosted(handler, () => complete);
  };
  const call = async <Result>(
    operation: Timed["operation"],
    values: Values,
    work: () => Promise<Result>,
  ): Promise<Result> => {
    const command = current();
    const { clock } = command.provider;
    const startedAt = clock.now();
    refuseIfDead(command);
    try {
      return await Promise.race([runningOperation.run(resourceOf(values), work), command.providerEnded]);
    } catch (error) {
      if (error instanceof InitError) {
        // What is not among the properties is not in the state, whatever the inputs were.
        const stub = error.properties[providerKey] ?? null;
        throw new PartialStateError(error.message, error.id, { ...sent(error.properties), [providerKey]: stub });
      }
      throw error;
    } finally {
      timed.push({ operation, type, milliseconds: clock.now() - startedAt });
      // A killed command hears of nothing any more.
      if (command.commandDead) await new Promise(() => undefined);
    }
  };
  return {
    ...handler,
    check: (runtime, olds, news) => {
      refuseIfDead(current());
      return handler.check(runtime, olds, { ...news, [providerKey]: stub(type) });
    },
    diff: (runtime, id, olds, news) => {
      refuseIfDead(current());
      demandStub(olds);
      return handler.diff(runtime, id, olds, news);
    },
    create: (runtime, inputs) =>
      call("create", inputs, async () => {
        demandStub(inputs);
        const { id, outs } = await host(runtime).create(inputs);
        return { id: sentId(id), outputs: withStub(sent(outs), inputs) };
      }),
    read: (runtime, id, state) =>
      call("read", state, async () => {
        demandStub(state);
        const found = await host(runtime).read(id, state);
        if (found.id === undefined || found.id === "") return undefined;
        return { outputs: withStub(sent(found.props), state), inputs: withStub(sent(found.inputs), state) };
      }),
    update: (runtime, id, olds, news) =>
      call("update", news, async () => {
        demandStub(news);
        const { outs } = await host(runtime).update(id, olds, news);
        return withStub(sent(outs), news);
      }),
    delete: (runtime, id, state) =>
      call("delete", state, async () => {
        demandStub(state);
        await host(runtime).delete(id, state);
      }),
  };
}

function resourceOf(values: Values): RunningOperation {
  const { urn } = readOrigin(values[originKey]);
  return { name: nameOf(urn), urn };
}

function refuseIfDead({ providerDead }: Command): void {
  if (providerDead) throw new Error("the provider process ended");
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

/** What the host can send; anything else fails the whole answer, and the id with it. */
function sent(values: Values): Values {
  refuseUnsendable(values);
  return values;
}

function refuseUnsendable(value: unknown): void {
  if (["undefined", "bigint", "symbol", "function"].includes(typeof value)) throw new Error("Unexpected struct type");
  if (typeof value === "object" && value !== null) for (const member of Object.values(value)) refuseUnsendable(member);
}
