import { systemClock } from "../../../provider/client";
import { readDuration } from "../../../provider/shared/duration";
import { readStacks } from "../../account";
import { exitCodes, type StacksFlags, stacksIn } from "../../options";
import { complain, fitForTerminal, LiveBlock, paintFor, print, statusLine, stopSignal } from "../../terminal";
import { type Inventory, takeInventory } from "./inventory";
import { type Frame, keepUpToDate, showFrame } from "./live";
import { inventoryJson, showInventory } from "./show";

export interface Flags extends StacksFlags {
  json?: boolean;
  account?: boolean;
  watch?: boolean;
  every: string;
}

/** The service is asked for several lists each time, and `pulumi` for the state. */
const shortestPeriodMs = 5000;

export async function run(flags: Flags): Promise<void> {
  const everyMs = periodIn(flags);
  if (!flags.watch) {
    const inventory = await look(flags);
    print(
      flags.json
        ? JSON.stringify(inventoryJson(inventory), null, 2)
        : showInventory(inventory, paintFor(process.stdout)),
    );
    return;
  }
  const block = new LiveBlock(process.stdout);
  await keepUpToDate({
    look: () => look(flags),
    show: (frame) =>
      flags.json ? printLine(frame) : block.draw(fitForTerminal(showFrame(frame, everyMs, paintFor(process.stdout)))),
    everyMs,
    clock: systemClock,
    until: stopSignal(),
  });
  statusLine.end();
  // A request or a run of `pulumi` that is under way would keep this process from ending.
  process.exit();
}

/** One line for each look; what fails goes to standard error. */
function printLine({ inventory, failure }: Frame): void {
  if (failure === undefined) print(JSON.stringify(inventoryJson(inventory)));
  else complain(`gpufleet ls: ${failure.reason}`);
}

async function look(flags: Flags): Promise<Inventory> {
  const { all, failed, close } = await readStacks(stacksIn(flags));
  process.exitCode = failed.length > 0 ? exitCodes.error : exitCodes.ok;
  try {
    return await takeInventory(all, { ofAccount: flags.account === true });
  } finally {
    await close();
  }
}

function periodIn({ every }: Flags): number {
  const milliseconds = readDuration(every);
  if (milliseconds !== undefined && milliseconds >= shortestPeriodMs) return milliseconds;
  throw new Error(`--every must be a duration of at least 5 seconds, such as 10s or 1m, not "${every}"`);
}
