/**
 * Whose a record is, as far as it says: the organization first, and the user. Keys are those of users, the machines of an
 * organization are shared by its users, and a user may join one while machines run: one of the two in common is enough. But
 * a user may be in several organizations, and have a key for each: these are several accounts.
 */
export function accountOf({ orgId, userId }: { orgId?: unknown; userId?: string | undefined }): string[] | undefined {
  const hasOrganization = orgId !== null && orgId !== undefined && orgId !== "";
  const account = [...(hasOrganization ? [`org ${JSON.stringify(orgId)}`] : []), ...(userId ? [`user ${userId}`] : [])];
  return account.length > 0 ? account : undefined;
}
