import { beginWork, type Handler, originKey, type Runtime, type Values, type Work } from "../../../provider/lifecycle";
import { nameOf } from "../../../provider/shared/urn";
import { gpufleetType, type StateResource } from "../../stack";

/** A resource of this provider, with its handler. */
export interface ManagedResource {
  handler: Handler;
  /** As the state has it, secrets encrypted. */
  resource: StateResource;
  /** Its inputs, decrypted. */
  inputs: Values;
}

/** `BareMetalRental "train"` */
export function titleOf(resource: StateResource): string {
  return `${gpufleetType(resource) ?? resource.type} "${nameOf(resource.urn)}"`;
}

/** What the provider's own code works with for an operation on this resource. */
export function contextFor(runtime: Runtime, { handler, inputs }: ManagedResource, milliseconds: number): Work {
  const { type, rented } = handler;
  return beginWork(runtime, { type, noun: rented?.noun ?? type }, inputs[originKey], inputs, milliseconds);
}
