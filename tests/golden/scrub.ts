import { dirname } from "node:path";
import { compare } from "../../cli/money/sum";
import { root } from "../../tools/bootstrap/paths";

/** What differs from run to run, or is of no use to a reader, in what the engine writes. */
const dropped = new Set([
  "stackTrace",
  "sourcePosition",
  "propertyDependencies",
  "dependencies",
  "provider",
  "parent",
  "created",
  "modified",
  "detailedDiff",
]);

/**
 * A preview with times, ports, ids, random parts of labels, paths of this machine and the order of what the engine did side
 * by side made the same for every run.
 */
export function scrubPreview(text: string, folder: string): string {
  const { steps = [], ...rest }: RawPreview = JSON.parse(text, (key, value) => {
    if (dropped.has(key)) return undefined;
    if (key === "duration") return 0;
    if (key === "port" && typeof value === "number") return 22022;
    return typeof value === "string" ? scrubText(value, folder) : value;
  });
  const lines = renumber(
    inOrder(steps)
      .map((step) => JSON.stringify(step))
      .join(",\n"),
  );
  return `{"steps":[\n${lines}\n],\n${JSON.stringify(rest).slice(1)}\n`;
}

interface RawPreview {
  steps?: { urn: string }[];
}

/** Between two steps of the stack itself, the order is whatever came first. */
function inOrder(steps: readonly { urn: string }[]): { urn: string }[] {
  const runs: { urn: string }[][] = [];
  for (const step of steps) {
    if (step.urn.includes("pulumi:pulumi:Stack::") || runs.length === 0) runs.push([]);
    runs.at(-1)?.push(step);
  }
  return runs.flatMap(([first, ...others]) => [
    ...(first ? [first] : []),
    ...others.sort((one, other) => compare(one.urn, other.urn)),
  ]);
}

/** Ids of rentals go by who came first on the service: here by who comes first in the text. */
function renumber(text: string): string {
  const numbers = new Map<string, number>();
  const rentalId = /(?<=[":,[])(10[01]\d)(?=[",\]])/g;
  return text.replace(rentalId, (id) => {
    const number = numbers.get(id) ?? 1001 + numbers.size;
    numbers.set(id, number);
    return String(number);
  });
}

/** The events that tell of policies. */
export function scrubEvents(text: string, folder: string): string {
  return text
    .split("\n")
    .filter((line) => /"(policy\w*|summary)Event"/.test(line))
    .map((line) => scrubText(line, folder).replace(/"(timestamp|sequence|durationSeconds)":\d+/g, '"$1":0'))
    .sort()
    .map((line) => `${line}\n`)
    .join("");
}

function scrubText(text: string, folder: string): string {
  return text
    .replaceAll(dirname(folder), "/home/dev")
    .replaceAll(root, "/home/dev/checkout")
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, (time) =>
      time.startsWith("2030") ? time : "2026-01-01T00:00:00.000Z",
    )
    .replace(/(-[a-z2-7]{6}-[a-z2-7]{8})-[a-z2-7]{6}\b/g, "$1-aaaaaa")
    .replace(/127\.0\.0\.1:\d+/g, "127.0.0.1:4010")
    .replace(/(?<=-p |ansible_port=|\bPort )\d+/g, "22022");
}
