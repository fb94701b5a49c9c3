import { handlers } from "../../../provider";
import {
  beginWork,
  type Handler,
  nameOf,
  originKey,
  type Runtime,
  type Values,
  type Work,
} from "../../../provider/lifecycle";
import { gpufleetType, type StateResource } from "../../stack";

/** A resource of this provider that is to be settled. */
export interface Subject {
  handler: Handler;
  /** As the state has it, secrets closed. */
  resource: StateResource;
  /** Its inputs with secrets in the open. */
  inputs: Values;
}

/** `BareMetalRental "train"` */
export function titleOf(resource: StateResource): string {
  return `${gpufleetType(resource) ?? resource.type} "${nameOf(resource.urn)}"`;
}

/** The handler of a resource of this provider; undefined for any other. */
export function handlerOf(resource: { type: string }): Handler | undefined {
  const type = gpufleetType(resource);
  return type === undefined ? undefined : handlers.get(type);
}

/** What the provider's own code works with when it deals with this resource for so long. */
export function workOn(runtime: Runtime, { handler, inputs }: Subject, milliseconds: number): Work {
  const { type, rented } = handler;
  return beginWork(runtime, { type, noun: rented?.noun ?? type }, inputs[originKey], inputs, milliseconds);
}
