import { showPerHour } from "../../../provider/shared/money";
import { gapNotes, type HeldOrphan, type Orphan, type Orphans } from "../../account";
import { ageCell, factCells, factColumns, isVolume, notListedNotes, rowOf, sizeOf, sumOf, usdCell } from "../../money";
import { type Paint, table } from "../../terminal";

const columns = [
  { title: "ID" },
  { title: "LABEL" },
  ...factColumns,
  { title: "AGE", right: true },
  { title: "$/H", right: true },
];

/** How the orphans of a stack are shown where it is one of several. */
interface AmongStacks {
  /** What the commands that are written out need to name the stack. */
  stackOption?: string;
  /** Whether it is said that there are none. */
  saysNone?: boolean;
}

export function showOrphans(
  orphans: Orphans,
  now: number,
  paint: Paint,
  { stackOption = "", saysNone = true }: AmongStacks = {},
): string {
  const { name, account, own, held, otherStacks, others, notListed, gaps, unread } = orphans;
  const where = account === undefined ? "" : ` at ${account}`;
  const group = (title: string, members: readonly Orphan[], style: "red" | "bold") => {
    if (members.length === 0) return [];
    const rows = members.map((orphan) => cells(orphan, now));
    return [paint(style, `${title}: ${members.length}, ${showSum(members)}`), ...table(columns, rows, paint), ""];
  };
  const none = paint("green", `No orphans: everything that ${name} created${where} is in a state.`);
  const notes = [...unreadNotes(unread), ...notListedNotes(notListed), ...gapNotes(gaps)];
  return [
    ...(own.length === 0 && saysNone ? [none, ""] : []),
    ...group(`Orphans, created by ${name}${where} but in no state`, own, "red"),
    ...advice(own, stackOption),
    ...byStack(held).flatMap(([stack, members]) => group(`In stack ${stack}`, members, "bold")),
    ...group("Created by other stacks", otherStacks, "bold"),
    ...group("Created by hand or by other programs", others, "bold"),
    ...notes.map((note) => paint("yellow", note)),
  ]
    .join("\n")
    .trimEnd();
}

function byStack(held: readonly HeldOrphan[]): [string, HeldOrphan[]][] {
  const stacks = [...new Set(held.map(({ stack }) => stack))].sort();
  return stacks.map((name) => [name, held.filter(({ stack }) => stack === name)]);
}

/** What to do about each. No command that would delete a volume is ever written out, and none for what may be kept on purpose. */
function advice(own: readonly Orphan[], stackOption: string): string[] {
  if (own.length === 0) return [];
  const rest = own.filter(({ interrupted }) => !interrupted);
  const machines = rest.filter((orphan) => !isVolume(orphan) && !orphan.replaced).map(({ id }) => id);
  return [
    ...(rest.length < own.length
      ? [`Some were created by an interrupted run: \`gpufleet recover${stackOption}\` brings them into the state.`]
      : []),
    ...rest.filter(isVolume).map(aboutVolume),
    ...(rest.length > 0
      ? ["What `retainOnDelete` kept is in no state either: make sure that nothing of this was kept on purpose."]
      : []),
    ...(machines.length > 0
      ? [`To delete the machines: gpufleet orphans${stackOption} --delete ${machines.join(" ")} --yes`]
      : []),
    "",
  ];
}

function aboutVolume(volume: Orphan): string {
  const price = volume.costPerHour === undefined ? "at an unknown price" : `for ${showPerHour(volume.costPerHour)}`;
  return `Storage volume ${volume.id} keeps ${sizeOf(volume)} ${price}. Deleting it loses its contents, and needs --allow-data-loss.`;
}

function unreadNotes(unread: Orphans["unread"]): string[] {
  return unread.map(
    ({ name, reason }) => `The state of ${name} could not be read, and may have some of the orphans: ${reason}`,
  );
}

function cells(orphan: Orphan, now: number): string[] {
  const row = rowOf(orphan, now);
  const remarks = [orphan.interrupted && "interrupted", orphan.replaced && "replaced and kept"];
  const status = [orphan.status, ...remarks].filter(Boolean).join(", ");
  return [
    orphan.id,
    orphan.label ?? "–",
    ...factCells({ ...row, status }),
    ageCell(row),
    usdCell(row.costPerHour, row),
  ];
}

function showSum(orphans: readonly Orphan[]): string {
  const { perHour, unknown, known } = sumOf(orphans);
  if (known === 0) return "at an unknown price";
  return `${showPerHour(perHour)}${unknown > 0 ? ` and ${unknown} at an unknown price` : ""}`;
}

/** Those of several accounts in one list, each with its account. */
export function orphansJson([first, ...more]: readonly [Orphans, ...Orphans[]], now: number): string {
  const reports = [first, ...more].map((orphans) => reportOf(orphans, now, more.length > 0));
  const report = {
    stack: first.name,
    orphans: reports.flatMap(({ orphans }) => orphans),
    inOtherStacks: reports.flatMap(({ inOtherStacks }) => inOtherStacks),
    otherStacks: reports.flatMap(({ otherStacks }) => otherStacks),
    others: reports.flatMap(({ others }) => others),
    notListed: [...new Set(reports.flatMap(({ notListed }) => notListed))],
    unreadable: reports.flatMap(({ unreadable }) => unreadable),
  };
  return JSON.stringify(report, null, 2);
}

export function orphanRow(orphan: Orphan, now: number) {
  return {
    id: orphan.id,
    label: orphan.label ?? null,
    ...rowOf(orphan, now),
    interrupted: orphan.interrupted,
    replaced: orphan.replaced,
  };
}

function reportOf(orphans: Orphans, now: number, isOneOfSeveral: boolean) {
  const { account, own, held, otherStacks, others, notListed, gaps, unread } = orphans;
  const row = (orphan: Orphan) => ({
    ...(isOneOfSeveral && { account: account ?? null }),
    ...orphanRow(orphan, now),
  });
  return {
    orphans: own.map(row),
    inOtherStacks: held.map((orphan) => ({ ...row(orphan), stack: orphan.stack })),
    otherStacks: otherStacks.map(row),
    others: others.map(row),
    notListed,
    unreadable: [...gaps, ...unread.map(({ name: stack, reason }) => ({ what: `state of ${stack}`, reason }))],
  };
}
