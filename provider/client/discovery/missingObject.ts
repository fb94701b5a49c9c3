/**
 * Whether the reason of a 404 speaks of a rental or a volume, and not of a path that the server does not know. Servers name
 * the path in the latter case ("Cannot POST /v2/…/bare-metal-rentals/terminate"), which must not be taken for the former.
 */
export function saysObjectIsMissing(reason: string): boolean {
  const withoutPaths = reason.replace(/\S*\/\S*/g, " ");
  if (/\b(route|endpoint|path|url|page|method|handler|cannot (get|post|put|patch|delete))\b/i.test(withoutPaths))
    return false;
  return /\b(rentals?|volumes?|instances?|machines?|vms?)\b|\balready (terminated|ended|deleted|gone)\b/i.test(
    withoutPaths,
  );
}
