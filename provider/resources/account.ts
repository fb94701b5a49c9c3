/**
 * Whose a record is, as far as it says: the organization first, and the user. Keys are those of users, the machines of an
 * organization are shared by its users, and a user may join one while machines run: one of the two in common is enough. But
 * a user may be in several organizations, and have a key for each: these are several accounts.
 */
export function accountOf({ orgId, userId }: { orgId?: unknown; userId?: string | undefined }): string[] | undefined {
  const organization = identityIn(orgId);
  const hasOrganization = organization !== null && organization !== undefined && organization !== "";
  const account = [
    ...(hasOrganization ? [`org ${JSON.stringify(organization)}`] : []),
    ...(userId ? [`user ${userId}`] : []),
  ];
  return account.length > 0 ? account : undefined;
}

/** The document allows any value: of an object that has an id, the rest may change from one record to the next. */
function identityIn(orgId: unknown): unknown {
  const id: unknown = typeof orgId === "object" && orgId !== null ? Reflect.get(orgId, "id") : undefined;
  return typeof id === "string" || typeof id === "number" ? id : orgId;
}
