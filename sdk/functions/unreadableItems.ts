import type { Service } from "../connection";

/** Says how many items of a list are left out of a result because they cannot be read, and of one of them why. */
export function warnOfUnreadable(
  { warn }: Service,
  plural: string,
  { unreadable = [] }: { unreadable?: readonly { id: string | undefined; reason: string }[] | undefined },
): void {
  const [first] = unreadable;
  if (!first) return;
  const which = first.id === undefined ? "" : ` (${first.id})`;
  warn(`${unreadable.length} of the ${plural} cannot be read and are left out of the result${which}: ${first.reason}`);
}
