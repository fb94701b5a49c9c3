import { cleanText } from "../../../provider/shared/cleanText";
import { count } from "../../../provider/shared/count";
import type { Paint, Style } from "../../terminal";
import type { Finding } from "./finding";

const marks: Readonly<Record<Finding["status"], { mark: string; style: Style }>> = {
  ok: { mark: "✓", style: "green" },
  warning: { mark: "!", style: "yellow" },
  error: { mark: "✗", style: "red" },
  unknown: { mark: "–", style: "dim" },
};

export function showFindings(findings: readonly Finding[], paint: Paint): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const lines = findings.flatMap(({ check, status, result, advice }) => {
    const { mark, style } = marks[status];
    return [
      `${paint(style, mark)} ${check.padEnd(width)}  ${cleanText(result)}`,
      ...(advice ? [`  ${" ".repeat(width)}  ${paint("dim", `→ ${cleanText(advice)}`)}`] : []),
    ];
  });
  const [errors, warnings] = (["error", "warning"] as const).map(
    (status) => findings.filter((finding) => finding.status === status).length,
  );
  const summary = errors ? paint("red", count(errors, "error")) : paint("green", "No errors");
  return [...lines, "", `${summary}${warnings ? `, ${count(warnings, "warning")}` : ""}.`].join("\n");
}
