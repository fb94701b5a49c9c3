import { count } from "../../../provider/shared/count";
import type { Paint } from "../../terminal";
import type { Report } from "./finding";

/** `found`: something needs attention; `destroyed`: only what had expired was destroyed; `clear`: nothing. */
export type Status = "found" | "destroyed" | "clear";

export function statusOf({ findings, destroyed }: Report): Status {
  if (findings.length > 0) return "found";
  return destroyed.length > 0 ? "destroyed" : "clear";
}

function headline(report: Report): string {
  const { stack, findings, destroyed } = report;
  const ended = destroyed.length > 0 ? `${count(destroyed.length, "expired resource")} destroyed` : undefined;
  const found = findings.length > 0 ? `${count(findings.length, "finding")}` : undefined;
  const parts = [found, ended].filter((part) => part !== undefined);
  return `GPU fleet ${stack}: ${parts.join(", ") || "nothing to report"}`;
}

const linesOf = ({ findings, destroyed }: Report) => [...findings, ...destroyed].map(({ text }) => text);

/** For a terminal and for logs. */
export function showReport(report: Report, paint: Paint): string {
  const style = { found: "red", destroyed: "yellow", clear: "green" } as const;
  return [
    paint(style[statusOf(report)], headline(report)),
    ...linesOf(report).map((text) => `  ${text}`),
    ...report.notes.map((note) => paint("yellow", note)),
  ].join("\n");
}

/** As JSON, printed and posted alike. */
export function reportJson(report: Report) {
  const { stack, at, findings, destroyed, notes } = report;
  return {
    version: 1,
    source: "gpufleet watch",
    stack,
    at,
    status: statusOf(report),
    text: headline(report),
    findings: findings.map(({ subject: _, ...finding }) => finding),
    destroyed,
    notes,
  };
}

/** Beyond this Slack cuts a message somewhere. */
const mostLines = 20;

/** What an incoming webhook of Slack takes, and of those that understand the same. */
export function slackMessage(report: Report): { text: string } {
  const lines = linesOf(report);
  const shown = lines.slice(0, mostLines).map((line) => `• ${forSlack(line)}`);
  const rest = lines.length > mostLines ? [`… and ${lines.length - mostLines} more`] : [];
  return { text: [`*${forSlack(headline(report))}*`, ...shown, ...rest].join("\n") };
}

/** So that no name can mention people or make a link. */
function forSlack(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
