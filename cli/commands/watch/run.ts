import { systemClock } from "../../../provider/client";
import { readDuration } from "../../../provider/shared/duration";
import { messageOf } from "../../../provider/shared/messageOf";
import { readSituations } from "../../account";
import { exitCodes, placeOf, type StackFlags } from "../../options";
import { secretsIn } from "../../stack";
import { complain, paintFor, print, stopSignal } from "../../terminal";
import { defaultMemoryFile, Memory } from "./memory";
import { repeat } from "./repeat";
import { type Round, type Watch, watchRound } from "./round";
import { Webhook } from "./webhook";
import { reportJson, showReport } from "./words";

export interface Flags extends StackFlags {
  json?: boolean;
  every?: string;
  destroyExpired?: boolean;
  yes?: boolean;
  allowDataLoss?: boolean;
  minBalanceHours?: number;
  graceMinutes: number;
  webhook?: string;
  webhookFormat: "json" | "slack";
  always?: boolean;
  memoryFile?: string;
}

/** The service is asked for several lists each time. */
const shortestPeriodMs = 60_000;

export async function run(flags: Flags, environment = process.env): Promise<void> {
  const everyMs = periodIn(flags);
  const watch = watchFor(flags, environment);
  if (everyMs !== undefined) return serve(watch, everyMs, flags);
  const round = await watchRound(watch);
  printRound(round, flags);
  for (const failure of round.failures) complain(`gpufleet watch: ${messageOf(failure)}`);
  process.exitCode = exitCodeOf(round);
}

function exitCodeOf({ report, failures }: Round): number {
  if (failures.length > 0) return exitCodes.error;
  return report.findings.length > 0 ? exitCodes.found : exitCodes.ok;
}

function watchFor(flags: Flags, environment: NodeJS.ProcessEnv): Watch {
  const { destroyExpired = false, yes = false, allowDataLoss = false } = flags;
  if (!destroyExpired && (yes || allowDataLoss)) {
    throw new Error(`${yes ? "--yes" : "--allow-data-loss"} needs --destroy-expired`);
  }
  const place = placeOf(flags);
  const url = flags.webhook || environment["GPUFLEET_WEBHOOK_URL"];
  const webhook = url ? new Webhook(url) : undefined;
  return {
    look: () => readSituations(place),
    stackName: place.stack ?? "(the selected stack)",
    request: {
      destroyExpired,
      yes,
      allowDataLoss,
      minBalanceHours: flags.minBalanceHours,
      graceMs: flags.graceMinutes * 60_000,
      secrets: [...secretsIn(environment), ...(webhook?.secrets ?? [])],
      // Standard output is for the report.
      say: (line) => complain(line),
    },
    memory: new Memory(flags.memoryFile ?? (url ? defaultMemoryFile(place, url, environment) : undefined)),
    webhook: webhook && { to: webhook, format: flags.webhookFormat },
    always: flags.always === true,
  };
}

function periodIn({ every }: Flags): number | undefined {
  if (every === undefined) return undefined;
  const milliseconds = readDuration(every);
  if (milliseconds !== undefined && milliseconds >= shortestPeriodMs) return milliseconds;
  throw new Error(`--every must be a duration of at least one minute, such as 10m or 1h, not "${every}"`);
}

/** Until it is told to stop. A round that fails is said, and the next one tries again. */
async function serve(watch: Watch, everyMs: number, flags: Flags): Promise<void> {
  const round = async () => {
    const done = await watchRound(watch);
    if (done.isNews || watch.always) printRound(done, flags);
    for (const failure of done.failures) complain(`gpufleet watch: ${messageOf(failure)}`);
  };
  await repeat(round, everyMs, systemClock, stopSignal());
}

/** In a service, JSON is one line each. */
function printRound({ report }: Round, { json, every }: Flags): void {
  const indent = every === undefined ? 2 : undefined;
  const text = json ? JSON.stringify(reportJson(report), null, indent) : showReport(report, paintFor(process.stdout));
  print(text);
}
