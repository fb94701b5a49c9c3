/** `npm run soak:mutants`: plants each known bug in a copy of the sources, and says which layer of tests notices it. */
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { showDuration } from "../../../provider/shared/duration";
import { ToolError } from "../../../tools/bootstrap/command";
import { root } from "../../../tools/bootstrap/paths";
import { announce } from "../../../tools/bootstrap/progress";
import { setUp } from "../../../tools/bootstrap/setUp";
import { Checkout, type Planted } from "./checkout";
import { testsFromHistory } from "./history";
import { LastRun } from "./lastRun";
import { type Layer, layers, type ScheduleLayer, type TestLayer } from "./layers";
import { findPatch, type Patch, withPatch } from "./patch";
import { type PlantedBug, plantedBugs } from "./plantedBugs";
import { findReach, type Reach } from "./reach";
import { SoundCheckout } from "./soundCheckout";

const names = layers.map(({ name }) => name);
const width = Math.max(...names.map((name) => name.length));

const help = `npm run soak:mutants [-- OPTION… NAME…]

Plants known bugs in copies of the sources, one for each core, plays random schedules that come by there, on both fronts, then runs the
other layers in the order below until one notices it, and prints which did. Plants those that take a whole rule away and so break a law;
with names or parts of names, only those bugs. Exits with 1 if a bug goes unnoticed, or if schedules alone notice fewer than two thirds
of those that break a law. What was noticed is kept in tests/faults/mutants/results.json, unless bugs were named.

  --layers LIST   which layers, separated by commas, or "all" (default: ${names.filter((_, index) => layers[index]?.isDefault).join(",")})
${layers.map(({ name, description }) => `                    ${name.padEnd(width)}  ${description}`).join("\n")}
  --every-layer   run every layer on every bug
  --every-bug     plant also the bugs that take away one case of a rule, each of which has a test of its own
  --continue      plant only bugs of which no earlier run with the same layers has a result; each result names its commit
  --list          list the bugs and where each is planted
  --help          show this
`;

const say = announce("Mutants");

/** Returns the exit code. */
export async function main(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    options: {
      layers: { type: "string" },
      "every-layer": { type: "boolean", default: false },
      "every-bug": { type: "boolean", default: false },
      continue: { type: "boolean", default: false },
      list: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
    allowPositionals: true,
  });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  const isNamed = positionals.length > 0;
  const bugs = isNamed ? bugsNamed(positionals) : plantedBugs.filter((bug) => values["every-bug"] || breaksLaw(bug));
  const chosen = chooseLayers(values.layers);
  const testsOf = testsFromHistory();
  const patches = bugs.map((bug) => ({ bug, patch: { ...findPatch(root, bug), tests: testsOf(bug.name) } }));
  if (values.list) {
    process.stdout.write(patches.map(({ bug, patch }) => `${bug.name}: ${patch.file}\n`).join(""));
    return 0;
  }
  const engine = chosen.some(({ name }) => name === "engine") ? (await setUp()).engine : undefined;
  const depth = values["every-layer"] ? ["every layer"] : [];
  const anew = values.continue && !isNamed ? [] : bugs;
  const run = LastRun.open([...chosen.map(({ name }) => name), ...depth], plantedBugs, anew);
  const toPlant = patches.filter(({ bug }) => !run.of(bug));
  if (toPlant.length > 0) {
    const reach = await reachOf(patches, chosen);
    const queue = toPlant.entries();
    const sound = new SoundCheckout(engine);
    // Each plants the next bug that is left: one core for each.
    const plantAll = async (checkout: Checkout) => {
      for (const [index, { bug, patch }] of queue) {
        const heading = `${index + 1} of ${toPlant.length}: ${bug.name}`;
        const where = { checkout, sound, patch, reach };
        const { noticed, verdicts } = await noticedBy(bug, where, chosen, values["every-layer"]);
        say([heading, ...verdicts].join("\n  "));
        run.add(bug, noticed);
        if (!isNamed) run.save();
      }
    };
    try {
      await Promise.all(Array.from({ length: availableParallelism() }, () => inCheckout(engine, plantAll)));
    } finally {
      await sound.remove();
    }
  }
  const rows = patches.flatMap(({ bug }) => {
    const noticed = run.of(bug);
    return noticed ? [{ bug, noticed }] : [];
  });
  process.stdout.write(describe(rows, chosen));
  const isJudged = !isNamed && chosen.some(({ isBlind }) => isBlind);
  return rows.every(isNoticed) && !(isJudged && isHarnessWeak(rows)) ? 0 : 1;
}

async function inCheckout(engine: string | undefined, work: (checkout: Checkout) => Promise<void>): Promise<void> {
  const checkout = Checkout.create(engine);
  try {
    await work(checkout);
  } finally {
    checkout.remove();
  }
}

/** Where random schedules come by; undefined where none are played. */
async function reachOf(
  patches: readonly { bug: PlantedBug; patch: Patch }[],
  chosen: readonly Layer[],
): Promise<Reach | undefined> {
  if (!chosen.some(isOfSchedules)) return undefined;
  say("schedules, to see where they come by");
  return findReach(new Map(patches.map(({ bug, patch }) => [bug.name, patch])), say);
}

/** A bug and which layers noticed it; a layer that was not run is missing. */
interface Row {
  bug: PlantedBug;
  noticed: ReadonlyMap<string, boolean>;
}

function breaksLaw({ breaks }: PlantedBug): boolean {
  return breaks !== undefined;
}

function bugsNamed(parts: readonly string[]): PlantedBug[] {
  const bugs = plantedBugs.filter(({ name }) => parts.some((part) => name.includes(part)));
  if (bugs.length === 0) throw new ToolError(`No planted bug has ${parts.join(" or ")} in its name. See --list.`);
  return bugs;
}

function chooseLayers(list: string | undefined): Layer[] {
  if (list === undefined) return layers.filter(({ isDefault }) => isDefault);
  if (list === "all") return [...layers];
  const wanted = list.split(",");
  const unknown = wanted.filter((name) => !names.includes(name));
  if (unknown.length > 0)
    throw new ToolError(`There is no layer ${unknown.join(", ")}. Layers are ${names.join(", ")}.`);
  return layers.filter(({ name }) => wanted.includes(name));
}

interface Where {
  checkout: Checkout;
  sound: SoundCheckout;
  patch: Patch & Planted;
  reach: Reach | undefined;
}

async function noticedBy(
  bug: PlantedBug,
  { checkout, sound, patch, reach }: Where,
  chosen: readonly Layer[],
  everyLayer: boolean,
): Promise<{ noticed: Row["noticed"]; verdicts: string[] }> {
  return withPatch(checkout.folder, patch, async () => {
    const noticed = new Map<string, boolean>();
    const verdicts: string[] = [];
    const note = ({ name }: Layer, result: { noticed: boolean }, begun: number, played = "") => {
      noticed.set(name, result.noticed);
      const verdict = result.noticed ? "noticed" : "not noticed";
      verdicts.push(`${name.padEnd(width)}  ${verdict} (${played}${showDuration(Date.now() - begun)})`);
    };
    for (const layer of chosen.filter(isOfSchedules)) {
      const begun = Date.now();
      const numbers = reach?.numbersFor(layer.front, bug.name) ?? [];
      const result = numbers.length === 0 ? { noticed: false } : await checkout.playSchedules(layer.front, numbers);
      note(layer, result, begun, `${numbers.length} schedules, `);
    }
    let isBuilt = false;
    for (const layer of chosen.filter(isOfTests)) {
      if (!everyLayer && [...noticed.values()].includes(true)) break;
      if (layer.needsBuild && !isBuilt) await checkout.build();
      isBuilt ||= layer.needsBuild;
      const begun = Date.now();
      const result = await checkout.play(layer, patch);
      await sound.demandPassing(layer, result.failed);
      note(layer, result, begun);
    }
    return { noticed, verdicts };
  });
}

function isOfSchedules(layer: Layer): layer is ScheduleLayer {
  return layer.kind === "schedules";
}

function isOfTests(layer: Layer): layer is TestLayer {
  return layer.kind === "tests";
}

function isNoticed({ noticed }: Row): boolean {
  return [...noticed.values()].includes(true);
}

function isNoticedBlindly({ noticed }: Row): boolean {
  return layers.some(({ name, isBlind }) => isBlind && noticed.get(name));
}

function isHarnessWeak(rows: readonly Row[]): boolean {
  const judged = rows.filter(({ bug }) => breaksLaw(bug));
  return judged.filter(isNoticedBlindly).length < (judged.length * 2) / 3;
}

function byFront(rows: readonly Row[]): string {
  const counts = layers
    .filter(isOfSchedules)
    .map(({ name, front }) => `${rows.filter(({ noticed }) => noticed.get(name)).length} on ${front}`);
  return ` (random ones: ${counts.join(", ")})`;
}

function count(what: string, rows: readonly Row[]): string {
  if (rows.length === 0) return "";
  const blindly = rows.filter(isNoticedBlindly).length;
  return `${rows.filter(isNoticed).length} of ${rows.length} ${what} were noticed, ${blindly} of them by schedules${byFront(rows)}.\n`;
}

function describe(rows: readonly Row[], chosen: readonly Layer[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |\n`;
  const cell = (noticed: boolean | undefined) => (noticed === undefined ? "" : noticed ? "noticed" : "no");
  const unnoticed = rows.filter((row) => !isNoticed(row));
  return [
    line(["bug", "breaks", ...chosen.map(({ name }) => name)]),
    line(["---", "---", ...chosen.map(() => "---")]),
    ...rows.map(({ bug, noticed }) =>
      line([bug.name, bug.breaks ?? "", ...chosen.map(({ name }) => cell(noticed.get(name)))]),
    ),
    "\n",
    count(
      "planted bugs that break a law",
      rows.filter(({ bug }) => breaksLaw(bug)),
    ),
    count(
      "other planted bugs",
      rows.filter(({ bug }) => !breaksLaw(bug)),
    ),
    ...unnoticed.map(({ bug }) => `NOT NOTICED: ${bug.name}\n`),
  ].join("");
}
