import type { DialectName, VolumeIdForm } from "../../../emulator";
import type { BeginningName } from "./beginnings";
import type { PageForm } from "./pagedAnswers";

/**
 * What the account and the service are like while a schedule is played. Another one is a field here; what it does is in
 * session.ts, or in sparseAnswers.ts, latePrices.ts, hiddenTimes.ts, pagedAnswers.ts, organization.ts and capitalLabels.ts where it changes answers.
 */
export interface Circumstances {
  /** Which of the two ways the resources are in. */
  front: FrontName;
  /** Whether other stacks run in the same account, and one with the same ids at another service. */
  neighbours: boolean;
  /** Whether somebody rents the same whenever this stack rents something that no label proves to be its own. */
  lookalikes: boolean;
  /** How long machines take until they are ready. */
  provisionSeconds: number;
  /** How long machines take to end. */
  endSeconds: number;
  /** How far the service's clock is ahead of ours; behind where negative. */
  skewSeconds: number;
  dialect: DialectName;
  /** Whether answers lack what they may lack, and lists come in another order. */
  sparse: boolean;
  /** Whether a rental shows its price only once it runs. */
  latePrices: boolean;
  /** Whether records show when they were made. */
  times: "shown" | "hidden";
  /** How many items a list gives at a time; all, if undefined. */
  pageSize: number | undefined;
  /** Where its pages have the link to the next one. */
  pageForm: PageForm;
  /** Whether a volume's record has an id of its own beside that of the volume, and whether another volume has that number. */
  volumeIds: VolumeIdForm;
  /** Whether a marketplace instance has a name beside its id, by which alone the answer to its create calls it. */
  instanceNames: "none" | "separate";
  /** How the service shows labels and GPU types: as they were asked for, or in capitals. */
  labels: "kept" | "capitals";
  /** Whether records are of a user alone, or of an organization with the user. */
  account: "user" | "organization";
  /** `gpufleet:maxCostPerHour` of the stack. */
  budget: number | undefined;
  /** Whether `up` is run with `--continue-on-error`. */
  continueOnError: boolean;
  /** How the stack is before its steps begin: most of what can happen needs something that it can happen to. */
  begins: BeginningName;
}

const allFronts = ["dynamic", "plugin"] as const;
export type FrontName = (typeof allFronts)[number];

/** Those that are played: both, or the one of `GPUFLEET_FAULT_FRONT`. */
export const frontNames: readonly FrontName[] = allFronts.filter(
  (name) => name === (process.env["GPUFLEET_FAULT_FRONT"] ?? name),
);

export const usual: Circumstances = {
  front: "dynamic",
  neighbours: true,
  lookalikes: false,
  provisionSeconds: 6,
  endSeconds: 3,
  skewSeconds: 0,
  dialect: "default",
  sparse: false,
  latePrices: false,
  times: "shown",
  pageSize: undefined,
  pageForm: "header",
  volumeIds: "same",
  instanceNames: "none",
  labels: "kept",
  account: "user",
  budget: undefined,
  continueOnError: false,
  begins: "not up",
};

export const circumstanceNames = Object.keys(usual).filter((name): name is keyof Circumstances => name in usual);

/** Few polls per wait, so that each of them can be made to fail in a run of its own. */
export const quick: Circumstances = { ...usual, neighbours: false, provisionSeconds: 1, endSeconds: 1 };
