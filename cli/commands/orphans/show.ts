import { showDuration } from "../../../provider/shared/duration";
import { gapNotes, type HeldOrphan, type Orphan, type Orphans } from "../../account";
import {
  ageCell,
  factCells,
  factColumns,
  isVolume,
  notListedNotes,
  rowOf,
  showRate,
  sizeOf,
  sumInWords,
  sumOf,
  unpriced,
  usdCell,
} from "../../money";
import { defaultGraceMinutes } from "../../options";
import { commandLineFor } from "../../place";
import { nounOf } from "../../stack";
import { type Paint, table } from "../../terminal";
import { judgeAge } from "./age";
import { volumesLeft } from "./volumesLeft";

const columns = [
  { title: "ID" },
  { title: "LABEL" },
  ...factColumns,
  { title: "AGE", right: true },
  { title: "$/H", right: true },
];

interface ShowOptions {
  /** The minimum age for --delete. */
  graceMs: number;
  /** Whether a state could not be read: --delete refuses everything then. */
  isUnread?: boolean;
  /** Whether it is said that there are none. */
  saysNone?: boolean;
}

export function showOrphans(
  orphans: Orphans,
  paint: Paint,
  { graceMs, isUnread = orphans.unread.length > 0, saysNone = true }: ShowOptions,
): string {
  const { name, account, own, held, otherStacks, others, notListed, gaps, unread } = orphans;
  const where = account === undefined ? "" : ` at ${account}`;
  const group = (title: string, members: readonly Orphan[], style: "red" | "bold") => {
    if (members.length === 0) return [];
    const rows = members.map((orphan) => cells(orphan));
    return [
      paint(style, `${title}: ${members.length}, ${sumInWords(sumOf(members))}`),
      ...table(columns, rows, paint),
      "",
    ];
  };
  const notes = [...unreadNotes(unread), ...notListedNotes(notListed), ...gapNotes(gaps)];
  return [
    ...(own.length === 0 && saysNone ? [noneOf(orphans, where, paint), ""] : []),
    ...group(`Orphans, created by ${name}${where} but in no state`, own, "red"),
    ...advice(own, { graceMs, name, isUnread }),
    ...byStack(held).flatMap(([stack, members]) => group(`In stack ${stack}`, members, "bold")),
    ...group("Created by other stacks", otherStacks, "bold"),
    ...group("Created by hand or by other programs", others, "bold"),
    ...notes.map((note) => paint("yellow", note)),
  ]
    .join("\n")
    .trimEnd();
}

/** That there are none is said only where everything was looked at and every create is settled. */
function noneOf({ name, gaps, notListed, unsettled }: Orphans, where: string, paint: Paint): string {
  const hidden = [...gaps.map(({ what }) => what), ...notListed];
  if (hidden.length > 0) {
    return paint(
      "yellow",
      `No orphan of ${name} found${where}, but not everything was looked at: ${hidden.join(", ")}.`,
    );
  }
  if (unsettled.length > 0) {
    const creates = unsettled.join(", ");
    return paint("yellow", `No orphan of ${name} found${where}, but it is unknown what was created for ${creates}.`);
  }
  return paint("green", `No orphans: everything that ${name} created${where} is in a state.`);
}

function byStack(held: readonly HeldOrphan[]): [string, HeldOrphan[]][] {
  const stacks = [...new Set(held.map(({ stack }) => stack))].sort();
  return stacks.map((name) => [name, held.filter(({ stack }) => stack === name)]);
}

/**
 * What to do about each. No command that would delete a volume is ever written out, none for what may be kept on purpose, and none
 * that would be refused.
 */
function advice(
  own: readonly Orphan[],
  { graceMs, name, isUnread }: { graceMs: number; name: string; isUnread: boolean },
): string[] {
  if (own.length === 0) return [];
  const rest = own.filter(({ interrupted }) => !interrupted);
  const machines = rest.filter((orphan) => !isVolume(orphan) && !orphan.replaced);
  const aged = (kind: "oldEnough" | "young" | "unknown") =>
    machines.filter((orphan) => judgeAge(orphan, graceMs).kind === kind);
  const idsOf = (orphans: readonly Orphan[], separator: string) => orphans.map(({ id }) => id).join(separator);
  const grace = graceMs === defaultGraceMinutes * 60_000 ? "" : ` --grace-minutes ${graceMs / 60_000}`;
  const [ready, young, ageless] = [aged("oldEnough"), aged("young"), aged("unknown")];
  return [
    ...(rest.length < own.length
      ? [
          `Some may have been created by a run that was interrupted or is still going on: \`${commandLineFor("gpufleet recover", name)}\` settles that.`,
        ]
      : []),
    ...rest.flatMap((orphan) => aboutTwin(orphan, name)),
    ...rest.filter(isVolume).map(aboutVolume),
    ...rest.flatMap((orphan) => volumesLeft(orphan, own, false)),
    ...(rest.some(({ twinOf }) => twinOf === undefined)
      ? [
          "What `retainOnDelete` kept is in no state either: make sure that nothing of this was kept on purpose, or belongs to a stack of this name in another backend.",
        ]
      : []),
    ...(young.length > 0
      ? [
          `Another run may be creating ${idsOf(young, ", ")}: --delete refuses what is younger than ${showDuration(graceMs)} (--grace-minutes).`,
        ]
      : []),
    ...(ageless.length > 0
      ? [`--delete refuses ${idsOf(ageless, ", ")}, because the age is unknown: end it in the service's console.`]
      : []),
    ...(ready.length > 0 && !isUnread
      ? [
          `To delete ${whichOf(ready, machines)}: ${commandLineFor(`gpufleet orphans --delete ${idsOf(ready, " ")}${grace} --yes`, name)}`,
        ]
      : []),
    "",
  ];
}

function whichOf(ready: readonly Orphan[], machines: readonly Orphan[]): string {
  return ready.length === machines.length ? "the machines" : "the other machines";
}

function aboutTwin({ type, id, twinOf }: Orphan, name: string): string[] {
  if (twinOf === undefined) return [];
  return [
    `The request that created ${nounOf(type)} ${twinOf}, which is in the state, also created ${id}. \`${commandLineFor("pulumi destroy", name)}\` terminates both.`,
  ];
}

function aboutVolume(volume: Orphan): string {
  const rate = showRate(volume);
  const price = rate === undefined ? unpriced : `for ${rate}`;
  return `Storage volume ${volume.id} keeps ${sizeOf(volume)} ${price}. Deleting it loses its contents, and needs --allow-data-loss.`;
}

function unreadNotes(unread: Orphans["unread"]): string[] {
  return unread.map(
    ({ name, reason }) =>
      `The state of ${name} could not be read, and may have some of the orphans, so --delete refuses: ${reason}`,
  );
}

function cells(orphan: Orphan): string[] {
  const row = rowOf(orphan);
  const remarks = [
    orphan.interrupted && "interrupted",
    orphan.replaced && "replaced and kept",
    orphan.twinOf !== undefined && `twin of ${orphan.twinOf}`,
  ];
  const status = [orphan.status, ...remarks].filter(Boolean).join(", ");
  return [
    orphan.id,
    orphan.label ?? "–",
    ...factCells({ ...row, status }),
    ageCell(row),
    usdCell(row.costPerHour, row),
  ];
}

/** Those of several accounts in one list, each with its account. */
export function orphansJson([first, ...more]: readonly [Orphans, ...Orphans[]]): string {
  const reports = [first, ...more].map((orphans) => reportOf(orphans, more.length > 0));
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

export function orphanRow(orphan: Orphan) {
  return {
    id: orphan.id,
    label: orphan.label ?? null,
    ...rowOf(orphan),
    interrupted: orphan.interrupted,
    replaced: orphan.replaced,
    twinOf: orphan.twinOf ?? null,
    volumes: orphan.volumes.map(({ id }) => id),
  };
}

function reportOf(orphans: Orphans, isOneOfSeveral: boolean) {
  const { account, own, held, otherStacks, others, notListed, gaps, unread } = orphans;
  const row = (orphan: Orphan) => ({
    ...(isOneOfSeveral && { account: account ?? null }),
    ...orphanRow(orphan),
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
