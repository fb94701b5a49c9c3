/** Whose a record is: the organization, or the user where there is none. */
export function accountOf({ orgId, userId }: { orgId?: unknown; userId?: string | undefined }): string | undefined {
  if (orgId !== null && orgId !== undefined && orgId !== "") return `org ${JSON.stringify(orgId)}`;
  return userId ? `user ${userId}` : undefined;
}
