import { showDuration } from "../../../provider/lifecycle";
import { ageAt, sizeOf, sumOf, usd, usdPerHour } from "../../money";
import { type Paint, table } from "../../terminal";
import type { Orphan, Orphans } from "./sort";

const columns = [
  { title: "ID" },
  { title: "LABEL" },
  { title: "KIND" },
  { title: "SIZE" },
  { title: "REGION" },
  { title: "STATUS" },
  { title: "AGE", right: true },
  { title: "$/H", right: true },
];

export function showOrphans({ name, own, foreign, unmarked, notListed }: Orphans, now: number, paint: Paint): string {
  const group = (title: string, orphans: readonly Orphan[], style: "red" | "bold") =>
    orphans.length === 0
      ? []
      : [
          paint(style, `${title}: ${orphans.length}, ${sumText(orphans)}`),
          ...table(
            columns,
            orphans.map((orphan) => cells(orphan, now)),
            paint,
          ).map((line) => `  ${line}`),
          "",
        ];
  const lines = [
    ...(own.length === 0
      ? [paint("green", `No orphans: the state of ${name} knows everything that bears its mark.`), ""]
      : []),
    ...group(`Orphans of ${name}: they bear its mark, and its state does not know them`, own, "red"),
    ...advice(own),
    ...group("With the mark of another stack", foreign, "bold"),
    ...group("With no mark, made by hand or by other programs", unmarked, "bold"),
    ...notListed.map((kind) => paint("yellow", `The service does not list ${kind}: there may be some of them.`)),
  ];
  return lines.join("\n").trimEnd();
}

function advice(own: readonly Orphan[]): string[] {
  if (own.length === 0) return [];
  const lost = own.filter(({ interrupted }) => !interrupted).map(({ id }) => id);
  return [
    ...(lost.length < own.length
      ? ["An interrupted run made some of them: `gpufleet recover` brings those into the state."]
      : []),
    ...(lost.length > 0 ? [`To end them: gpufleet orphans --delete ${lost.join(" ")} --yes`] : []),
    "",
  ];
}

function cells(orphan: Orphan, now: number): string[] {
  const { id, label, kind, region, status, costPerHour, interrupted } = orphan;
  const age = ageAt(orphan, now);
  return [
    id,
    label ?? "–",
    kind,
    sizeOf(orphan),
    region ?? "–",
    interrupted ? `${status}, interrupted` : status,
    age === null ? "–" : showDuration(age * 1000),
    costPerHour === undefined ? "unknown" : usd(costPerHour),
  ];
}

function sumText(orphans: readonly Orphan[]): string {
  const { perHour, unknown, known } = sumOf(orphans);
  if (known === 0) return "at an unknown price";
  return `${usdPerHour(perHour)}${unknown > 0 ? ` and ${unknown} of unknown price` : ""}`;
}

export function orphansJson({ name, own, foreign, unmarked, notListed }: Orphans, now: number): string {
  const write = (orphan: Orphan) => ({
    id: orphan.id,
    kind: orphan.kind,
    label: orphan.label ?? null,
    size: sizeOf(orphan),
    region: orphan.region ?? null,
    status: orphan.status,
    createdAt: orphan.createdAt ?? null,
    ageSeconds: ageAt(orphan, now),
    costPerHour: orphan.costPerHour ?? null,
    interrupted: orphan.interrupted,
  });
  const report = {
    stack: name,
    orphans: own.map(write),
    otherStacks: foreign.map(write),
    unmarked: unmarked.map(write),
    notListed,
  };
  return JSON.stringify(report, null, 2);
}
