import type { Operation } from "../../provider/service";
import type { Call } from "../state";

/** The input of a request: the `{id}` of its path, and its body. */
export interface Input {
  id: string | undefined;
  readBody(): Promise<unknown>;
}

/** An operation of the emulator: its description, and how to carry it out. */
export interface Route extends Omit<Operation, "base" | "idempotent" | "read"> {
  name: string;
  handle(call: Call, input: Input): Promise<unknown>;
}
