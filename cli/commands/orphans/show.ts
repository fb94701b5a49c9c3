import { showPerHour } from "../../../provider/shared/money";
import { ageCell, factCells, factColumns, notListedNotes, rowOf, sumOf, usdCell } from "../../money";
import { type Paint, table } from "../../terminal";
import type { Orphan, Orphans } from "./groupOrphans";

const columns = [
  { title: "ID" },
  { title: "LABEL" },
  ...factColumns,
  { title: "AGE", right: true },
  { title: "$/H", right: true },
];

export function showOrphans({ name, own, otherStacks, others, notListed }: Orphans, now: number, paint: Paint): string {
  const group = (title: string, orphans: readonly Orphan[], style: "red" | "bold") => {
    if (orphans.length === 0) return [];
    const rows = orphans.map((orphan) => cells(orphan, now));
    return [paint(style, `${title}: ${orphans.length}, ${showSum(orphans)}`), ...table(columns, rows, paint), ""];
  };
  const none = paint("green", `No orphans: everything that ${name} created is in its state.`);
  return [
    ...(own.length === 0 ? [none, ""] : []),
    ...group(`Orphans, created by ${name} but missing from its state`, own, "red"),
    ...advice(own),
    ...group("Created by other stacks", otherStacks, "bold"),
    ...group("Created by hand or by other programs", others, "bold"),
    ...notListedNotes(notListed).map((note) => paint("yellow", note)),
  ]
    .join("\n")
    .trimEnd();
}

function advice(own: readonly Orphan[]): string[] {
  if (own.length === 0) return [];
  const lost = own.filter(({ interrupted }) => !interrupted).map(({ id }) => id);
  return [
    ...(lost.length < own.length
      ? ["Some were created by an interrupted run: `gpufleet recover` brings them into the state."]
      : []),
    ...(lost.length > 0 ? [`To delete them: gpufleet orphans --delete ${lost.join(" ")} --yes`] : []),
    "",
  ];
}

function cells(orphan: Orphan, now: number): string[] {
  const row = rowOf(orphan, now);
  const status = orphan.interrupted ? `${orphan.status}, interrupted` : orphan.status;
  return [orphan.id, orphan.label ?? "–", ...factCells({ ...row, status }), ageCell(row), usdCell(row.costPerHour)];
}

function showSum(orphans: readonly Orphan[]): string {
  const { perHour, unknown, known } = sumOf(orphans);
  if (known === 0) return "at an unknown price";
  return `${showPerHour(perHour)}${unknown > 0 ? ` and ${unknown} at an unknown price` : ""}`;
}

export function orphansJson({ name, own, otherStacks, others, notListed }: Orphans, now: number): string {
  const rows = (orphans: readonly Orphan[]) =>
    orphans.map((orphan) => ({
      id: orphan.id,
      label: orphan.label ?? null,
      ...rowOf(orphan, now),
      interrupted: orphan.interrupted,
    }));
  const report = {
    stack: name,
    orphans: rows(own),
    otherStacks: rows(otherStacks),
    others: rows(others),
    notListed,
  };
  return JSON.stringify(report, null, 2);
}
