import { exitCodes, placeOf, type StackFlags } from "../../options";
import { serviceRuntime } from "../../stack";
import { complain, paintFor, print } from "../../terminal";
import { type Asked, readAsked } from "./asked";
import { findOffers } from "./offers";
import { rentingProgram } from "./rentingProgram";
import { offersJson, showOffers } from "./show";

export interface Flags extends StackFlags, Asked {
  json?: boolean;
  limit?: number;
  program?: boolean;
}

export async function run(flags: Flags): Promise<void> {
  const runtime = await serviceRuntime(placeOf(flags));
  try {
    const offers = await findOffers(runtime, readAsked(flags));
    const [first] = offers.machines;
    if (flags.program && first) print(rentingProgram(first, offers.asked));
    // Without a machine to rent, standard output stays empty: what is there goes into a file.
    else if (flags.program) complain(showOffers(offers, flags.limit, paintFor(process.stderr)));
    else if (flags.json) print(offersJson(offers, flags.limit));
    else print(showOffers(offers, flags.limit, paintFor(process.stdout)));
    const matches = flags.program ? offers.machines.length : offers.machines.length + offers.rentals.length;
    if (matches === 0) process.exitCode = exitCodes.found;
  } finally {
    await runtime.client.close();
  }
}
