import { isAtOneTime, unresolvedFingerprint } from "../../provider/lifecycle";
import { readLabel } from "../../provider/shared/label";
import { gpufleetType, resourcesOf, type State, type StateResource } from "../stack";

/**
 * The entry of a state whose create has also created this one: each create has an automatic label of its own, so a proxy that
 * repeats the request makes two of one label, at one time: one of another time has a copy of it. Undefined where the state has this very one, or does not know what was created.
 */
export function twinIn(
  state: State,
  { type, id, label, createdAt }: { type: string; id: string; label?: string | undefined; createdAt?: unknown },
): StateResource | undefined {
  if (readLabel(label) === undefined) return undefined;
  const alike = resourcesOf(state).filter(
    (resource) => gpufleetType(resource) === type && resource.outputs?.["label"] === label,
  );
  if (alike.some((resource) => resource.id === id)) return undefined;
  return alike.find(
    (resource) =>
      resource.id !== undefined &&
      unresolvedFingerprint(resource.id) === undefined &&
      isAtOneTime({ createdAt }, resource.outputs?.["createdAt"]) !== false,
  );
}
