import type { Voice } from "./voice";

/** `a, b and 3 more`; `a and b` */
export function listOf(texts: readonly string[], most = texts.length): string {
  const shown = texts.slice(0, most);
  const rest = texts.length - shown.length;
  const items = rest > 0 ? [...shown, `${rest.toLocaleString("en-US")} more`] : shown;
  const last = items.at(-1) ?? "";
  return items.length > 1 ? `${items.slice(0, -1).join(", ")} and ${last}` : last;
}

/** Names as they are listed, members of a fleet counted: `6 of fleet a, b (8×h100) and c`. */
export function listNames<Named extends { name: string; fleet: string | undefined }>(
  named: readonly Named[],
  { voice, most, more = () => "" }: { voice: Voice; most: number; more?: (one: Named) => string },
): string {
  const fleets = [...new Set(named.flatMap(({ fleet }) => fleet ?? []))];
  const texts = [
    ...fleets.map((fleet) => {
      const members = named.filter((one) => one.fleet === fleet).length;
      return `${members.toLocaleString("en-US")} of fleet ${voice.name(fleet)}`;
    }),
    ...named.filter(({ fleet }) => fleet === undefined).map((one) => `${voice.name(one.name)}${more(one)}`),
  ];
  return listOf(texts, most);
}

/** Names that count up in equal steps, from the first to the last: `node-4 to node-12`, `node-1, node-3 … node-9`. */
export function listRuns(names: readonly string[], { voice, most }: { voice: Voice; most: number }): string {
  const texts = runsIn(names).flatMap(({ run, step }) => {
    const [first = "", second = ""] = run;
    if (run.length < shortestRun) return run.map((name) => voice.name(name));
    const last = voice.name(run.at(-1) ?? "");
    return [step === 1 ? `${voice.name(first)} to ${last}` : `${voice.name(first)}, ${voice.name(second)} … ${last}`];
  });
  return texts.length > most ? `${texts.slice(0, most).join(", ")} …` : listOf(texts);
}

const shortestRun = 4;

function runsIn(names: readonly string[]): { run: string[]; step: number }[] {
  const runs: { run: string[]; step: number }[] = [];
  for (const name of names) {
    const last = runs.at(-1);
    const step = stepBetween(last?.run.at(-1) ?? "", name);
    if (last && step !== undefined && (last.run.length === 1 || last.step === step)) {
      last.run.push(name);
      last.step = step;
    } else {
      runs.push({ run: [name], step: 0 });
    }
  }
  return runs;
}

/** By how much a name counts on from another one. */
function stepBetween(before: string, name: string): number | undefined {
  const [, stemBefore, numberBefore] = /^(.*?)(\d+)$/.exec(before) ?? [];
  const [, stem, number] = /^(.*?)(\d+)$/.exec(name) ?? [];
  if (stem === undefined || stem !== stemBefore) return undefined;
  const step = Number(number) - Number(numberBefore);
  return step > 0 ? step : undefined;
}
