import { groupOrphans, readStacks } from "../../account";
import { exitCodes, type StacksFlags, stacksIn } from "../../options";
import { leftOutNotes } from "../../stack";
import { complain, paintFor, print } from "../../terminal";
import { type DeleteRequest, deleteOrphans } from "./delete";
import { type Searched, severalJson, showSeveral } from "./severalStacks";
import { orphansJson, showOrphans } from "./show";

export interface Flags extends StacksFlags {
  json?: boolean;
  delete?: string[];
  yes?: boolean;
  allowDataLoss?: boolean;
  graceMinutes: number;
}

export async function run(flags: Flags): Promise<void> {
  const { all, failed, close } = await readStacks(stacksIn(flags));
  try {
    if (flags.delete && all.length + failed.length > 1)
      throw new Error("--delete works on one stack at a time: name it with --stack");
    const leftOut = all.flatMap((one) => one.leftOut);
    const [{ situations }, ...otherStacks] = all;
    const [situation, ...otherAccounts] = situations;
    const others = [...otherAccounts, ...otherStacks.flatMap((one) => one.situations)];
    const first = { situation, orphans: await groupOrphans(situation) };
    const searched: [Searched, ...Searched[]] = [first];
    for (const other of others) searched.push({ situation: other, orphans: await groupOrphans(other) });
    if (!flags.delete) print(all.length > 1 ? showAll(searched, flags) : show(searched, flags));
    // On standard error where the output is for other programs.
    for (const note of leftOutNotes(leftOut)) (flags.json ? complain : print)(note);
    const request = {
      yes: flags.yes === true,
      allowDataLoss: flags.allowDataLoss === true,
      graceMs: flags.graceMinutes * 60_000,
      say: (line: string) => print(line),
    };
    const left = flags.delete
      ? await deleteInAccounts(searched, { ...request, ids: flags.delete })
      : searched.reduce((sum, { orphans }) => sum + orphans.own.length, 0);
    const isPartial = leftOut.length > 0 || searched.some(({ orphans }) => orphans.gaps.length > 0);
    if (left > 0) process.exitCode = exitCodes.found;
    // Whether there are any is not known then.
    else if (isPartial) process.exitCode = exitCodes.error;
  } finally {
    await close();
  }
}

function showAll(searched: readonly Searched[], flags: Flags): string {
  if (flags.json) return severalJson(searched);
  return showSeveral(searched, paintFor(process.stdout), { graceMs: flags.graceMinutes * 60_000 });
}

function show(searched: readonly [Searched, ...Searched[]], flags: Flags): string {
  const [{ orphans }, ...others] = searched;
  if (flags.json) return orphansJson([orphans, ...others.map((one) => one.orphans)]);
  const shown = { graceMs: flags.graceMinutes * 60_000 };
  return searched.map((one) => showOrphans(one.orphans, paintFor(process.stdout), shown)).join("\n\n");
}

/** Deletes each id where it is an orphan, all or none of them. Two accounts may have the same id: then nobody can tell. */
async function deleteInAccounts(searched: readonly [Searched, ...Searched[]], request: DeleteRequest): Promise<number> {
  const placed = request.ids.map((id) => {
    const holders = searched.filter(({ orphans }) => orphans.own.some((one) => one.id === id));
    if (holders.length > 1) {
      throw new Error(
        `refused, and nothing was deleted: ${id} is an orphan in ${holders.length} accounts of this stack. Delete it where the service shows it.`,
      );
    }
    return { id, holder: holders[0] ?? searched[0] };
  });
  const jobs = searched.map((one) => ({
    ...one,
    ids: placed.filter(({ holder }) => holder === one).map(({ id }) => id),
  }));
  // Whatever is refused in one account is refused before something is deleted in another.
  for (const { situation, orphans, ids } of jobs) {
    if (ids.length > 0) await deleteOrphans(situation, orphans, { ...request, ids, yes: false, say: () => undefined });
  }
  let left = 0;
  for (const { situation, orphans, ids } of jobs) {
    left += ids.length > 0 ? await deleteOrphans(situation, orphans, { ...request, ids }) : orphans.own.length;
  }
  return left;
}
