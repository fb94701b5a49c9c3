import { exitCodes, placeOf, type StackFlags } from "../../options";
import { Stack } from "../../stack";
import { paintFor } from "../../terminal";
import { destroyExpired } from "./destroy";
import { findExpired } from "./find";
import { expiredJson, showExpired } from "./show";

export interface Flags extends StackFlags {
  json?: boolean;
  destroy?: boolean;
  yes?: boolean;
  allowDataLoss?: boolean;
}

export async function run({
  json,
  destroy = false,
  yes = false,
  allowDataLoss = false,
  ...flags
}: Flags): Promise<void> {
  const stack = new Stack(placeOf(flags));
  const now = Date.now();
  const expired = findExpired(await stack.exportState(), now);
  console.log(json ? expiredJson(expired, now) : showExpired(expired, now, paintFor(process.stdout)));
  if (expired.length === 0) return;
  const say = (line: string) => (json ? console.error(line) : console.log(line));
  const destroyed = destroy && (await destroyExpired(stack, expired, { yes, allowDataLoss, say }));
  if (!destroyed) process.exitCode = exitCodes.found;
}
