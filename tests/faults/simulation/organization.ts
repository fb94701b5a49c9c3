import type { Transport } from "../../../provider/client";
import { bodyOf, textOf } from "./answers";

/** The organization that the stack's own key is of, where the account is one. */
export const ownOrganization = "ours";

/** A service that shows of its records that they are of an organization, and not only of a user. */
export function inOrganization(transport: Transport): Transport {
  return async (request) => {
    const answer = await transport(request);
    return { ...answer, body: bodyOf(showOrganization(await textOf(answer), ownOrganization)) };
  };
}

export function showOrganization(text: string, organization: string): string {
  return text.replaceAll('"orgId":null', `"orgId":${JSON.stringify(organization)}`);
}
