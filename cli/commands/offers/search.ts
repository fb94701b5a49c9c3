import type { Runtime } from "../../../provider/lifecycle";
import {
  type JudgedMachine,
  judgeMachines,
  type MachineCriteria,
  marketplaceMachines,
  type Shortcoming,
} from "../../../provider/resources";
import { nearest } from "../../../provider/shared/spelling";
import { type Gap, gapsIn } from "../../account";
import { statusLine } from "../../terminal";
import type { Search } from "./asked";

export interface FoundMachines {
  /** Those that match, the cheapest first. */
  machines: JudgedMachine[];
  /** How many are listed. */
  listed: number;
  /** Where none matches: what excludes how many, and the nearest. */
  exclusions: Exclusion[];
  closest: JudgedMachine[];
  /** What was probably meant by a value that no machine has. */
  guesses: string[];
  gaps: Gap[];
}

/** What one filter does. */
export interface Exclusion {
  criterion: Shortcoming["criterion"];
  excludes: number;
  /** How many match without it. */
  matchWithout: number;
}

export async function searchMachines(runtime: Runtime, asked: Search): Promise<FoundMachines> {
  const list = runtime.lists.of(marketplaceMachines);
  const snapshot = await statusLine.during("Listing marketplace machines…", () => list.latest());
  const judged = await judgeMachines(runtime, asked.criteria, asked.gpuCount);
  const machines = judged.filter(({ shortcomings }) => shortcomings.length === 0);
  const isNone = machines.length === 0;
  return {
    machines,
    listed: judged.length,
    exclusions: isNone ? exclusionsOf(judged) : [],
    closest: isNone ? judged.slice(0, 3) : [],
    guesses: isNone ? guessesFor(asked.criteria, judged) : [],
    gaps: gapsIn(snapshot, "marketplace machine"),
  };
}

/** The one that excludes most first. */
function exclusionsOf(judged: readonly JudgedMachine[]): Exclusion[] {
  const criteria = new Set(judged.flatMap(({ shortcomings }) => shortcomings.map(({ criterion }) => criterion)));
  return [...criteria]
    .map((criterion) => ({
      criterion,
      excludes: judged.filter(({ shortcomings }) => shortcomings.some((one) => one.criterion === criterion)).length,
      matchWithout: judged.filter(({ shortcomings }) => shortcomings.every((one) => one.criterion === criterion))
        .length,
    }))
    .sort((one, other) => other.excludes - one.excludes || other.matchWithout - one.matchWithout);
}

/** What there is, where a value is one that no machine has. */
function guessesFor({ region, gpuModel }: MachineCriteria, judged: readonly JudgedMachine[]): string[] {
  const regions = distinct(judged.map(({ facts }) => facts.region));
  const models = distinct(judged.map(({ facts }) => facts.gpuModel));
  const isModel = models.some((model) => gpuModel && model.toLowerCase().includes(gpuModel.toLowerCase()));
  const meant = region === undefined ? undefined : nearest(region, regions);
  return [
    ...(region === undefined || regions.includes(region)
      ? []
      : [`No machine is listed in ${region}. ${meant ? `Did you mean ${meant}?` : `Listed: ${regions.join(", ")}.`}`]),
    ...(gpuModel === undefined || isModel ? [] : [`No machine has a GPU ${gpuModel}. Listed: ${models.join(", ")}.`]),
  ];
}

function distinct(all: readonly string[]): string[] {
  return [...new Set(all)].sort();
}
