import {
  inputsFrom,
  type OperationContext,
  readiness,
  stateOf,
  type Values,
  type View,
  WaitFailedError,
  WaitTimeoutError,
  waitUntil,
  withNewer,
} from "../../../provider/lifecycle";
import { plainObject } from "../../../provider/shared/plain";
import type { ManagedResource } from "./managedResource";

/**
 * The create was to be done only when the machine can be used. If that is near, it is worth waiting for; if not, the next
 * `pulumi up` goes on, as it does after any create that ran out of time.
 */
export async function awaitReadiness(
  context: OperationContext,
  { inputs }: ManagedResource,
  found: View,
  readyTimeout: number,
): Promise<View> {
  if (inputs["waitForReady"] === false || found.phase !== "pending" || readyTimeout === 0) return found;
  const { clock, lists } = context.runtime;
  let last = found;
  try {
    return await waitUntil({
      operation: { ...context, deadline: clock.now() + readyTimeout },
      list: lists.of(context.definition.kind),
      judge: (snapshot) => {
        last = withNewer(last, snapshot.find(found.id) ?? last);
        return readiness(context, last);
      },
    });
  } catch (error) {
    if (error instanceof WaitTimeoutError || error instanceof WaitFailedError) return last;
    throw error;
  }
}

/** The outputs that the provider's own create would have returned. */
export function outputsFor(
  context: OperationContext,
  { inputs }: ManagedResource,
  view: View,
  carried: Values,
): Values {
  const asked = inputsFrom(context.definition.inputs.shape, inputs);
  const made = stateOf({ ...context, inputs: asked }, view, carried, true);
  return plainObject(Object.entries({ ...inputs, ...made }));
}
