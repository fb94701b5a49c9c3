import { cleanText } from "../../provider/shared/cleanText";
import type { Paint, Style } from "../terminal/style";
import type { Finding } from "./finding";

const marks: Readonly<Record<Finding["is"], { mark: string; style: Style }>> = {
  right: { mark: "✓", style: "green" },
  doubtful: { mark: "!", style: "yellow" },
  wrong: { mark: "✗", style: "red" },
  unknown: { mark: "–", style: "dim" },
};

export function showFindings(findings: readonly Finding[], paint: Paint): string {
  const width = Math.max(...findings.map(({ about }) => about.length));
  const lines = findings.flatMap(({ about, is, found, advice }) => {
    const { mark, style } = marks[is];
    return [
      `${paint(style, mark)} ${about.padEnd(width)}  ${cleanText(found)}`,
      ...(advice ? [`  ${" ".repeat(width)}  ${paint("dim", `→ ${cleanText(advice)}`)}`] : []),
    ];
  });
  const count = (is: Finding["is"]) => findings.filter((finding) => finding.is === is).length;
  const summary =
    count("wrong") > 0 ? paint("red", `${count("wrong")} to put right`) : paint("green", "Nothing is wrong");
  return [...lines, "", `${summary}${count("doubtful") > 0 ? `, ${count("doubtful")} worth a look` : ""}.`].join("\n");
}
