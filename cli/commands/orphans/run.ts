import { readSituation } from "../../account";
import { exitCodes, placeOf, type StackFlags } from "../../options";
import { paintFor } from "../../terminal";
import { deleteOrphans } from "./delete";
import { groupOrphans } from "./groupOrphans";
import { orphansJson, showOrphans } from "./show";

export interface Flags extends StackFlags {
  json?: boolean;
  delete?: string[];
  yes?: boolean;
  allowDataLoss?: boolean;
  graceMinutes: number;
}

export async function run(flags: Flags): Promise<void> {
  const situation = await readSituation(placeOf(flags));
  try {
    const orphans = await groupOrphans(situation);
    const now = situation.runtime.client.serviceNow();
    if (!flags.delete) {
      console.log(flags.json ? orphansJson(orphans, now) : showOrphans(orphans, now, paintFor(process.stdout)));
      if (orphans.own.length > 0) process.exitCode = exitCodes.found;
      return;
    }
    const left = await deleteOrphans(situation, orphans, {
      ids: flags.delete,
      yes: flags.yes === true,
      allowDataLoss: flags.allowDataLoss === true,
      graceMs: flags.graceMinutes * 60_000,
      now,
      say: (line) => console.log(line),
    });
    if (left > 0) process.exitCode = exitCodes.found;
  } finally {
    await situation.runtime.client.close();
  }
}
