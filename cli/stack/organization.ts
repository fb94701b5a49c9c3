import { originKey } from "../../provider/lifecycle";
import { readOrigin } from "../../provider/shared/urn";
import { gpufleetType, pendingOf, resourcesOf, type State } from "./state";

/** The organization as the SDK hands it over: from what the state has of ours, or else from the stack's full name. */
export function organizationOf(state: State, stackName: string): string {
  const ours = [...resourcesOf(state), ...pendingOf(state).map(({ resource }) => resource)].filter(gpufleetType);
  const origins = ours.map(({ inputs }) => readOrigin(inputs?.[originKey]).organization);
  const parts = stackName.split("/");
  // States that are kept in files belong to no organization, and the engine calls it this.
  return (
    origins.find((organization) => organization !== "") ?? (parts.length === 3 ? parts[0] : undefined) ?? "organization"
  );
}
