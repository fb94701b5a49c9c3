import { exitCodes, placeOf, type StackFlags } from "../../options";
import { Stack } from "../../stack";
import { print } from "../../terminal";
import { recover, type Settlement } from "./recover";

export interface Flags extends StackFlags {
  dryRun?: boolean;
  adopt?: string;
  nothingMade?: boolean;
  urn?: string;
  force?: boolean;
}

export async function run({ dryRun = false, force = false, ...flags }: Flags): Promise<void> {
  const isComplete = await recover(new Stack(placeOf(flags)), {
    dryRun,
    force,
    settle: settlementIn(flags),
    say: (line) => print(line),
  });
  if (!isComplete) process.exitCode = exitCodes.error;
}

function settlementIn({ adopt, nothingMade = false, urn }: Flags): Settlement | undefined {
  if (adopt !== undefined && nothingMade) throw new Error("--adopt and --nothing-made cannot be given together");
  const isGiven = adopt !== undefined || nothingMade;
  if (isGiven !== (urn !== undefined)) {
    throw new Error("--adopt and --nothing-made need --urn, and --urn needs one of them");
  }
  if (urn === undefined) return undefined;
  return adopt === undefined ? { kind: "nothingMade", urn } : { kind: "adopt", id: adopt, urn };
}
