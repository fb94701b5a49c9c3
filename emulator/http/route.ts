import type { Operation } from "../../provider/service";
import type { Call } from "../state";

/** What a request brings: the `{id}` of its path, and its body. */
export interface Input {
  id: string | undefined;
  readBody(): Promise<unknown>;
}

/** An operation that the emulator has: enough to describe it, and how to carry it out. */
export interface Route extends Omit<Operation, "base" | "repeatable"> {
  name: string;
  handle(call: Call, input: Input): Promise<unknown>;
}
