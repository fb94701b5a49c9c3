import { isBeyondRepair } from "../../provider/lifecycle";
import { type Billable, isVolume, showRate, sizeOf, unpriced, unresolvedStatus } from "../money";
import { nounOf, phaseIn } from "../stack";
import type { BilledChange } from "./billedChange";
import { fleetOf } from "./fleets";
import type { Voice } from "./voice";

/** What somebody must know before this is merged. */
export interface Warning {
  kind: WarningKind;
  /** The name of the resource. */
  name: string;
  /** The fleet that it is a part of. */
  fleet: string | undefined;
  billable: Billable;
  /** Whether it runs, so that the contents of its disks are lost. */
  isRunning: boolean;
  /** The option because of which it is left behind. */
  option?: "retainOnDelete" | "keepVolume";
  /** In words. */
  say(voice: Voice): string;
}

/** The worst first. */
const kinds = ["data-loss", "replaced-machine", "terminated-machine", "still-billing"] as const;
export type WarningKind = (typeof kinds)[number];

export const warningTitles: Readonly<Record<WarningKind, string>> = {
  "data-loss": "This destroys data",
  "replaced-machine": "This replaces running machines",
  "terminated-machine": "This terminates machines",
  "still-billing": "This leaves resources behind that keep billing",
};

export function warningsOf(changes: readonly BilledChange[]): Warning[] {
  const warnings = changes.flatMap((change) =>
    change.billedBefore
      // What another resource takes over runs on.
      .filter(({ isAdopted }) => !isAdopted)
      .flatMap((billable) => warningAbout(billable, change)),
  );
  return kinds.flatMap((kind) => warnings.filter((warning) => warning.kind === kind));
}

function warningAbout(billable: Billable, change: BilledChange): Warning[] {
  const { op, retained } = change;
  if (op !== "delete" && op !== "replace") return [];
  const { type, name, status } = billable;
  const isRunning = status === undefined || runs(type, status);
  const facts = { name, billable, isRunning, fleet: fleetOf(change)?.name };
  if (retained || billable.outlives) return [{ ...facts, ...stillBilling(billable, retained) }];
  return [{ ...facts, ...(isVolume(billable) ? dataLoss(billable, op) : machine(billable, op, isRunning)) }];
}

type Words = Pick<Warning, "kind" | "option" | "say">;

function dataLoss({ name, sizeInGb, createdWith }: Billable, op: "delete" | "replace"): Words {
  const size = sizeInGb === undefined ? "" : `, ${sizeInGb} GB`;
  return {
    kind: "data-loss",
    say: (voice) => {
      const along = createdWith === undefined ? "" : `, together with rental ${voice.name(createdWith)}`;
      return `${op}s volume ${voice.name(name)}${size}${along}: its contents are lost`;
    },
  };
}

function machine(billable: Billable, op: "delete" | "replace", isRunning: boolean): Words {
  const { type, name, region, status = "" } = billable;
  const noun = nounOf(type);
  const what = `${sizeOf(billable)}${region ? ` in ${region}` : ""}`;
  const verb = op === "replace" ? "replaces" : "terminates";
  const loss = `the contents of its disks are lost${op === "replace" ? " and its address changes" : ""}`;
  return {
    kind: op === "replace" ? "replaced-machine" : "terminated-machine",
    say: (voice) =>
      isRunning
        ? `${verb} running ${noun} ${voice.name(name)}, ${voice.word(what)}: ${loss}`
        : `${verb} ${noun} ${voice.name(name)}, ${voice.word(what)} (status ${voice.word(status)})`,
  };
}

/** One that has failed has nothing left to lose, and one whose create is unresolved may not exist. */
function runs(type: string, status: string): boolean {
  return status !== unresolvedStatus && !isBeyondRepair(phaseIn(type, status));
}

function stillBilling(billable: Billable, retained: boolean): Words {
  const { type, name } = billable;
  const price = showRate(billable) ?? unpriced;
  const option = retained ? "retainOnDelete" : "keepVolume";
  return {
    kind: "still-billing",
    option,
    say: (voice) =>
      `leaves ${nounOf(type)} ${voice.name(name)} behind (${option}): it keeps billing ${price}, outside the state`,
  };
}
