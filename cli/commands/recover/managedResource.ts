import {
  beginOperation,
  type Handler,
  inputsFrom,
  type LifecycleInputs,
  type Operation,
  type OperationContext,
  originKey,
  type ResourceDefinition,
  type Runtime,
  type Values,
} from "../../../provider/lifecycle";
import type { StateResource } from "../../stack";

/** A resource of this provider, with its handler. */
export interface ManagedResource {
  handler: Handler;
  /** As the state has it, secrets encrypted. */
  resource: StateResource;
  /** Its inputs, decrypted. */
  inputs: Values;
}

/** An operation of the provider's own code on this resource. */
export function operationFor(
  runtime: Runtime,
  definition: ResourceDefinition,
  inputs: Values,
  milliseconds: number,
): Operation {
  return beginOperation(runtime, definition, inputs[originKey], milliseconds);
}

/** The same for a create, whose inputs have passed the check of the provider. */
export function creationFor(
  runtime: Runtime,
  definition: ResourceDefinition,
  inputs: Values,
  milliseconds: number,
): OperationContext<LifecycleInputs> {
  return {
    ...operationFor(runtime, definition, inputs, milliseconds),
    definition,
    inputs: definition.inputs.parse(inputsFrom(definition.inputs.shape, inputs)),
  };
}
