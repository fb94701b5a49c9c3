import { root } from "../paths";

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

/** A preview with times, ports, random parts of labels and paths of this machine made the same for every run. */
export function scrubPreview(text: string, folder: string): string {
  const preview: unknown = JSON.parse(text, (key, value) => {
    if (dropped.has(key)) return undefined;
    if (key === "duration") return 0;
    if (key === "port" && typeof value === "number") return 22022;
    return typeof value === "string" ? scrubText(value, folder) : value;
  });
  return writeSteps(preview);
}

/** The events that tell of policies. */
export function scrubEvents(text: string, folder: string): string {
  return text
    .split("\n")
    .filter((line) => /"(policy\w*|summary)Event"/.test(line))
    .map((line) => scrubText(line, folder).replace(/"(timestamp|sequence|durationSeconds)":\d+/g, '"$1":0'))
    .map((line) => `${line}\n`)
    .join("");
}

function scrubText(text: string, folder: string): string {
  return text
    .replaceAll(folder, "/home/dev/project")
    .replaceAll(root, "/home/dev/checkout")
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, (time) => (time.startsWith("2030") ? time : "2026-01-01T00:00:00.000Z"))
    .replace(/(-[a-z2-7]{6}-[a-z2-7]{8})-[a-z2-7]{6}\b/g, "$1-aaaaaa")
    .replace(/127\.0\.0\.1:\d+/g, "127.0.0.1:4010")
    .replace(/-p \d+/g, "-p 22022");
}

/** One line for each step, so that a difference shows where it is. */
function writeSteps(preview: unknown): string {
  if (typeof preview !== "object" || preview === null || !("steps" in preview) || !Array.isArray(preview.steps)) {
    return `${JSON.stringify(preview)}\n`;
  }
  const { steps, ...rest } = preview;
  const lines = steps.map((step) => JSON.stringify(step)).join(",\n");
  return `{"steps":[\n${lines}\n],\n${JSON.stringify(rest).slice(1)}\n`;
}
