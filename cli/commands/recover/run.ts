import { readUrn } from "../../../provider/shared/urn";
import { exitCodes, placeOf, type StackFlags } from "../../options";
import { placeOptions } from "../../place";
import { Stack } from "../../stack";
import { print } from "../../terminal";
import { recover } from "./recover";
import type { Settlement } from "./subject";

export interface Flags extends StackFlags {
  dryRun?: boolean;
  adopt?: string;
  nothingMade?: boolean;
  urn?: string;
  force?: boolean;
}

export async function run({ dryRun = false, force = false, ...flags }: Flags): Promise<void> {
  const settle = settlementIn(flags);
  const stack = await stackOf(flags);
  const isComplete = await recover(stack, {
    dryRun,
    force,
    settle,
    place: placeOptions({ cwd: flags.cwd, stack: stack.place.stack }),
    say: (line) => print(line),
  });
  if (!isComplete) process.exitCode = exitCodes.error;
}

/** A URN names its stack: a command that is copied out of an error works whichever stack is selected. */
async function stackOf(flags: Pick<Flags, "cwd" | "stack" | "urn">): Promise<Stack> {
  const place = placeOf(flags);
  const selected = new Stack(place);
  if (place.stack !== undefined || !flags.urn?.startsWith("urn:pulumi:")) return selected;
  const { stack } = readUrn(flags.urn);
  const name = await selected.name().catch(() => undefined);
  return name?.slice(name.lastIndexOf("/") + 1) === stack ? selected : new Stack({ ...place, stack });
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
