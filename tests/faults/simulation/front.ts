import { type Found, type Handler, type Made, originKey, type Runtime, type Values } from "../../../provider/lifecycle";
import { nameOf, readOrigin } from "../../../provider/shared/urn";
import { getHandler } from "../../lifecycle/fakeEngine";
import type { Command } from "./command";
import { type RunningOperation, runningOperation } from "./truth";

/** One of the two ways in which the engine calls handlers, with what that way does to what comes and goes. */
export interface Front {
  /** The inputs as the engine gets them. */
  inputs(news: Values): Values;
  /** Fails where this state or these inputs cannot be worked on. */
  demand(values: Values): void;
  create(runtime: Runtime, inputs: Values): Promise<Made>;
  read(runtime: Runtime, id: string, state: Values): Promise<Found | undefined>;
  update(runtime: Runtime, id: string, olds: Values, news: Values): Promise<Values>;
  delete(runtime: Runtime, id: string, state: Values): Promise<void>;
}

/** One call of a handler and how long it took. */
export interface Timed {
  operation: "create" | "read" | "update" | "delete";
  type: string;
  milliseconds: number;
}

/** A handler behind a front, in the provider process of the command that runs. */
export function handlerBehind(front: Front, type: string, current: () => Command, timed: Timed[]): Handler {
  const handler = getHandler(type);
  const call = async <Result>(
    operation: Timed["operation"],
    values: Values,
    work: () => Promise<Result>,
  ): Promise<Result> => {
    const command = current();
    const { clock } = command.provider;
    const startedAt = clock.now();
    refuseIfDead(command);
    const working = async () => {
      front.demand(values);
      return work();
    };
    try {
      return await Promise.race([runningOperation.run(resourceOf(values), working), command.providerEnded]);
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
      return handler.check(runtime, olds, front.inputs(news));
    },
    diff: (runtime, id, olds, news) => {
      refuseIfDead(current());
      front.demand(olds);
      return handler.diff(runtime, id, olds, news);
    },
    create: (runtime, inputs) => call("create", inputs, () => front.create(runtime, inputs)),
    read: (runtime, id, state) => call("read", state, () => front.read(runtime, id, state)),
    update: (runtime, id, olds, news) => call("update", news, () => front.update(runtime, id, olds, news)),
    delete: (runtime, id, state) => call("delete", state, () => front.delete(runtime, id, state)),
  };
}

function resourceOf(values: Values): RunningOperation {
  const { urn } = readOrigin(values[originKey]);
  return { name: nameOf(urn), urn };
}

function refuseIfDead({ providerDead }: Command): void {
  if (providerDead) throw new Error("the provider process ended");
}

/** What can be sent to the engine; anything else fails the whole answer, and the id with it. */
export function sent(values: Values): Values {
  refuseUnsendable(values);
  return values;
}

function refuseUnsendable(value: unknown): void {
  if (["undefined", "bigint", "symbol", "function"].includes(typeof value)) throw new Error("Unexpected struct type");
  if (typeof value === "object" && value !== null) for (const member of Object.values(value)) refuseUnsendable(member);
}
