import type { Unreadable } from "../../provider/service";
import { namesOfUnreadable } from "../../provider/shared/namesOfUnreadable";
import type { Service } from "../connection";

/** Says how many items of a list are left out of a result because they cannot be read, and of one of them why. */
export function warnOfUnreadable(
  { warn }: Service,
  plural: string,
  { unreadable = [] }: { unreadable?: readonly Unreadable[] | undefined },
): void {
  const [first] = unreadable;
  if (!first) return;
  const [name] = namesOfUnreadable(first);
  const which = name === undefined ? "" : ` (${name})`;
  warn(`${unreadable.length} of the ${plural} cannot be read and are left out of the result${which}: ${first.reason}`);
}
