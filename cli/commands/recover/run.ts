import { placeOf, type StackFlags } from "../../options";
import { Stack } from "../../stack";
import { recover } from "./recover";

export interface Flags extends StackFlags {
  dryRun?: boolean;
  adopt?: string;
  urn?: string;
  force?: boolean;
}

export async function run({ adopt, urn, dryRun = false, force = false, ...flags }: Flags): Promise<void> {
  if ((adopt === undefined) !== (urn === undefined)) throw new Error("--adopt and --urn must be given together");
  await recover(new Stack(placeOf(flags)), {
    dryRun,
    force,
    adopt: adopt === undefined || urn === undefined ? undefined : { id: adopt, urn },
    say: (line) => console.log(line),
  });
}
