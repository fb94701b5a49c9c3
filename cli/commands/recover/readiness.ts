import {
  inputsFrom,
  outputsOf,
  readiness,
  refresh,
  type Values,
  type View,
  WaitFailedError,
  WaitTimeoutError,
  type Work,
  waitUntil,
} from "../../../provider/lifecycle";
import { plainObject } from "../../../provider/shared/plain";
import type { ManagedResource } from "./managedResource";

/**
 * The create was to be done only when the machine can be used. If that is near, it is worth waiting for; if not, the next
 * `pulumi up` goes on, as it does after any create that ran out of time.
 */
export async function awaitReadiness(
  work: Work,
  { handler, inputs }: ManagedResource,
  found: View,
  readyTimeout: number,
): Promise<View> {
  if (!handler.rented || inputs["waitForReady"] === false || found.phase !== "pending" || readyTimeout === 0)
    return found;
  const { clock, lists } = work.runtime;
  let last = found;
  try {
    return await waitUntil({
      work: { ...work, deadline: clock.now() + readyTimeout },
      list: lists.of(handler.rented.kind),
      judge: (snapshot) => {
        last = refresh(last, snapshot.find(found.id) ?? last);
        return readiness(work, last);
      },
    });
  } catch (error) {
    if (error instanceof WaitTimeoutError || error instanceof WaitFailedError) return last;
    throw error;
  }
}

/** The outputs that the provider's own create would have returned. */
export function outputsFor(work: Work, { handler, inputs }: ManagedResource, view: View): Values {
  const made = outputsOf(inputsFrom(handler.inputs.shape, inputs), view, work.runtime.clock.now());
  return plainObject(Object.entries({ ...inputs, ...made }));
}
