import { type Billable, sizeOf, unresolvedStatus, usdPerHour } from "../money";
import type { BilledChange } from "./billing";
import type { Voice } from "./voice";

/** What somebody must know before this is merged, the worst first. */
export interface Warning {
  is: "data-loss" | "replaced-machine" | "ended-machine" | "left-billing";
  /** What it is about. */
  name: string;
  /** In words. */
  say(voice: Voice): string;
}

const order: readonly Warning["is"][] = ["data-loss", "replaced-machine", "ended-machine", "left-billing"];

export function warningsOf(changes: readonly BilledChange[]): Warning[] {
  const warnings = changes.flatMap((change) =>
    change.billedBefore.flatMap((billable) => warningAbout(billable, change)),
  );
  return order.flatMap((is) => warnings.filter((warning) => warning.is === is));
}

function warningAbout(billable: Billable, { op, retained }: BilledChange): Warning[] {
  if (op !== "delete" && op !== "replace") return [];
  if (retained || billable.outlives) return [leftBilling(billable, retained)];
  return [billable.kind === "storage volume" ? dataLoss(billable, op) : machine(billable, op)];
}

function dataLoss({ name, sizeInGb, madeWith }: Billable, op: "delete" | "replace"): Warning {
  const size = sizeInGb === undefined ? "" : `, ${sizeInGb} GB`;
  return {
    is: "data-loss",
    name,
    say: (voice) => {
      const along = madeWith === undefined ? "" : `, along with rental ${voice.name(madeWith)}`;
      return `${op}s volume ${voice.name(name)}${size}${along}: its contents are lost`;
    },
  };
}

/** A machine that has failed has nothing left to lose, and one that may never have been made has nothing yet. */
const notRunning = [
  unresolvedStatus,
  "Failed",
  "failed",
  "error",
  "Terminating",
  "Terminated",
  "terminated",
  "stopping",
];

function machine(billable: Billable, op: "delete" | "replace"): Warning {
  const { kind, name, region, status } = billable;
  const what = `${sizeOf(billable)}${region ? ` in ${region}` : ""}`;
  const runs = status === undefined || !notRunning.includes(status);
  const verb = op === "replace" ? "replaces" : "ends";
  const outcome =
    op === "replace" ? "what is on its disks is lost and its address changes" : "what is on its disks is lost";
  return {
    is: op === "replace" ? "replaced-machine" : "ended-machine",
    name,
    say: (voice) =>
      runs
        ? `${verb} running ${kind} ${voice.name(name)}, ${voice.word(what)}: ${outcome}`
        : `${verb} ${kind} ${voice.name(name)}, ${voice.word(what)}, whose status is ${voice.word(status)}`,
  };
}

function leftBilling({ kind, name, costPerHour }: Billable, retained: boolean): Warning {
  const price = costPerHour === undefined ? "at a price that is not known" : usdPerHour(costPerHour);
  const why = retained ? "retainOnDelete" : "keepVolume";
  return {
    is: "left-billing",
    name,
    say: (voice) =>
      `leaves ${kind} ${voice.name(name)} behind (${why}): it goes on billing ${price}, outside the state`,
  };
}
