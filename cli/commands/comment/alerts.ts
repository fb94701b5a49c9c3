import { count } from "../../../provider/shared/count";
import { sizeOf, sumInWords, sumOf } from "../../money";
import { listNames, type Summary, type Warning } from "../../preview";
import { code, inMarkdown, word } from "./escape";
import type { Part } from "./fit";

const longestProblem = 600;

/** Why the preview failed. */
export function problemLines({ problems }: Summary): Part {
  if (problems.length === 0) return { lines: [] };
  return {
    lines: ["> [!CAUTION]", "> **Errors.** The rest of this comment is incomplete.", ">"],
    items: problems.map(
      ({ resource, message }) => `> - ${resource ? `${code(resource)}: ` : ""}${code(message, longestProblem)}`,
    ),
    more: (count) => `> - … and ${count} more`,
    worth: 3,
  };
}

/** Every volume whose contents are lost. */
export function dataLossLines({ warnings }: Summary): Part {
  const lost = warnings.filter(({ kind }) => kind === "data-loss");
  if (lost.length === 0) return { lines: [] };
  return {
    lines: ["> [!CAUTION]", "> **This destroys data**", ">"],
    items: lost.map((warning) => `> - ${warning.say(inMarkdown)}`),
    more: (count) => `> - … and ${count} more`,
    worth: 5,
  };
}

const mostNamed = 8;

/** What happens to machines, and what is left behind: one line each, because the changes are listed below. */
export function machineLines({ warnings }: Summary): Part {
  const lines = [
    machines(warnings, "replaced-machine", "Replaces"),
    machines(warnings, "terminated-machine", "Terminates"),
    leftBehind(warnings.filter(({ kind }) => kind === "still-billing")),
  ].flat();
  return { lines: lines.length > 0 ? ["> [!WARNING]", ...lines.map((line) => `> - ${line}`)] : [] };
}

function machines(warnings: readonly Warning[], kind: Warning["kind"], verb: string): string[] {
  const those = warnings.filter((warning) => warning.kind === kind);
  const running = those.filter(({ isRunning }) => isRunning);
  const others = those.filter(({ isRunning }) => !isRunning);
  return [
    ...(running.length > 0
      ? [
          `**${verb} ${count(running.length, "running machine")}**${which(running, placeOf)}. ${lossOf(kind, running.length)}`,
        ]
      : []),
    ...(others.length > 0 ? [`**${verb} ${count(others.length, "machine")}**${which(others, statusOf)}.`] : []),
  ];
}

/** ` of fleet a`, or `: b (8×h100), 2 of fleet a`. */
function which(warnings: readonly Warning[], more: (warning: Warning) => string): string {
  const [{ fleet } = { fleet: undefined }] = warnings;
  if (fleet !== undefined && warnings.every((warning) => warning.fleet === fleet)) return ` of fleet ${code(fleet)}`;
  return `: ${listNames(warnings, { voice: inMarkdown, most: mostNamed, more })}`;
}

function lossOf(kind: Warning["kind"], machines: number): string {
  const [its, address] = machines === 1 ? ["its", "its address changes"] : ["their", "their addresses change"];
  return `The contents of ${its} disks are lost${kind === "replaced-machine" ? `, and ${address}` : ""}.`;
}

function statusOf({ billable }: Warning): string {
  return ` (status ${word(billable.status ?? "unknown")})`;
}

function placeOf({ billable }: Warning): string {
  return ` (${word(sizeOf(billable))}${billable.region ? ` in ${word(billable.region)}` : ""})`;
}

function leftBehind(warnings: readonly Warning[]): string[] {
  if (warnings.length === 0) return [];
  const names = listNames(warnings, {
    voice: inMarkdown,
    most: mostNamed,
    more: ({ option }) => ` (\`${option}\`)`,
  });
  const sum = sumInWords(sumOf(warnings.map(({ billable }) => billable)));
  return [
    `**Leaves ${count(warnings.length, "resource")} behind**, outside the state: ${names}. ${warnings.length === 1 ? "It keeps" : "They keep"} billing, ${sum}.`,
  ];
}
