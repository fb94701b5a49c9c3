import { originKey } from "../../provider/lifecycle";
import { onlyOrganization, readStackName } from "../../provider/shared/stackName";
import { readOrigin } from "../../provider/shared/urn";
import type { Stack } from "./stack";
import { gpufleetType, pendingOf, resourcesOf, type State } from "./state";

/** The organization as the SDK hands it over: from what the state has of ours, or else from the stack's full name. */
export async function organizationOf(state: State, stack: Pick<Stack, "fullName">): Promise<string> {
  const ours = [...resourcesOf(state), ...pendingOf(state).map(({ resource }) => resource)].filter(gpufleetType);
  const origins = ours.map(({ inputs }) => readOrigin(inputs?.[originKey]).organization);
  const known = origins.find((organization) => organization !== "");
  if (known !== undefined) return known;
  return readStackName(await stack.fullName()).organization ?? onlyOrganization;
}
