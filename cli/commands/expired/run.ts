import { describeKept, destroyExpired } from "../../expired";
import { exitCodes, placeOf, type StackFlags } from "../../options";
import { Stack } from "../../stack";
import { complain, paintFor, print } from "../../terminal";
import { judgeExpired } from "./judge";
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
  const { expired, notes } = await judgeExpired(stack, await stack.exportState(), { destroy });
  // On standard error: the list itself is from the state, and complete.
  for (const note of notes) complain(note);
  print(
    json ? expiredJson(expired) : showExpired(expired, paintFor(process.stdout), { isCertain: notes.length === 0 }),
  );
  if (expired.length === 0) return;
  process.exitCode = exitCodes.found;
  if (!destroy) return;
  const say = (line: string) => (json ? complain(line) : print(line));
  const { destroyed, kept } = await destroyExpired(stack, expired, { yes, allowDataLoss, say });
  const inTheWay = kept.filter(({ kind }) => kind !== "notAsked");
  if (inTheWay.length < kept.length) say("Nothing was destroyed. Add --yes to destroy.");
  if (inTheWay.length > 0) throw new Error(["not destroyed:", ...describeKept(inTheWay)].join("\n  "));
  if (destroyed.length === expired.length) process.exitCode = exitCodes.ok;
}
