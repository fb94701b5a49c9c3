import type { CallOptions } from "../../client";
import { type Marks, marksOf } from "../../shared/label";
import { nameOf, readOrigin } from "../../shared/urn";
import type { FleetLimit } from "../cost/fleet";
import type { Values } from "../crud/check";
import { EngineGoneError } from "./errors";
import type { Runtime } from "./runtime";

/** One operation on one resource. */
export interface Work<Inputs = Values> {
  runtime: Runtime;
  /** `BareMetalRental` */
  type: string;
  /** "bare-metal rental" */
  noun: string;
  /** The name that the program gave. */
  name: string;
  urn: string;
  marks: Marks;
  inputs: Inputs;
  /** When the operation must have ended, by the clock. */
  deadline: number;
  /** The limit of the fleet that it is a member of. */
  fleet?: FleetLimit | undefined;
}

export function beginWork<Inputs>(
  runtime: Runtime,
  subject: { type: string; noun: string },
  origin: unknown,
  inputs: Inputs,
  milliseconds: number,
): Work<Inputs> {
  const { organization, urn } = readOrigin(origin);
  return {
    runtime,
    type: subject.type,
    noun: subject.noun,
    name: nameOf(urn),
    urn,
    marks: marksOf({ organization, urn, namespace: runtime.settings.namespace }),
    inputs,
    deadline: runtime.clock.now() + milliseconds,
  };
}

/** How a request of this operation is sent that makes or changes something: only while the engine is there to hear of it. */
export function callFor(work: Work<unknown>): CallOptions {
  return {
    deadline: work.deadline,
    beforeAttempt: async () => {
      if (!(await work.runtime.engine.alive())) throw new EngineGoneError();
    },
  };
}

/** Shows on the resource's own row what is being waited for. */
export function showStatus(work: Work<unknown>, text: string): void {
  work.runtime.engine.status(work.urn, text);
}

/** The row keeps what it was told last: when the work is done, that is nothing. */
export function clearStatus(work: Work<unknown>): void {
  showStatus(work, "");
}
