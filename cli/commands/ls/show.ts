import { nameUnpriced, sshCommandFor } from "../../../provider/lifecycle";
import { count } from "../../../provider/shared/count";
import { showDuration } from "../../../provider/shared/duration";
import { showPerHour, showUsd } from "../../../provider/shared/money";
import { readTimestamp } from "../../../provider/shared/timestamp";
import { gapNotes, missingNotes, nothingWith } from "../../account";
import {
  about,
  ageCell,
  type Billable,
  countGpus,
  factCells,
  factColumns,
  hoursPerDay,
  isVolume,
  notListedNotes,
  rowOf,
  showGpus,
  statusWithRemarks,
  sumOf,
  usdCell,
} from "../../money";
import { commandLine, commandLineFor } from "../../place";
import { leftOutNotes } from "../../stack";
import { emptyCell, type Paint, tableOfFilled } from "../../terminal";
import type { Entry, Inventory, Owner } from "./inventory";

const columns = [
  { title: "STACK" },
  { title: "NAME" },
  { title: "ID" },
  ...factColumns,
  { title: "AGE", right: true },
  { title: "EXPIRES", right: true },
  { title: "$/H", right: true },
  { title: "SSH" },
];

/** The list for a terminal. */
export function showInventory(inventory: Inventory, paint: Paint): string {
  const { entries } = inventory;
  const title = paint("bold", titleOf(inventory));
  const body =
    entries.length === 0
      ? [title, `  ${nothingWith(inventory)}`]
      : [
          `${title}  ${showSum(entries.map(({ what }) => what))}`,
          ...tableOfFilled(
            columns,
            entries.map((entry) => cells(entry, inventory)),
            paint,
          ),
        ];
  return [...body, ...notesOn(inventory).map((note) => paint("yellow", note)), ...advice(inventory)].join("\n");
}

function titleOf({ stacks, elsewhere }: Inventory): string {
  const named = stacks.length > 1 ? count(stacks.length, "stack") : `stack ${stacks[0]}`;
  return elsewhere === undefined ? `Account of ${named}` : `${named[0]?.toUpperCase()}${named.slice(1)}`;
}

function cells({ id, what, owner }: Entry, { stacks, elsewhere }: Pick<Inventory, "stacks" | "elsewhere">): string[] {
  const ofAccount = elsewhere === undefined;
  const row = rowOf(what);
  const status = statusWithRemarks(row.status, what);
  return [
    ofAccount || stacks.length > 1 ? ownerCell(owner) : emptyCell,
    row.name,
    ofAccount ? id : emptyCell,
    ...factCells({ ...row, status }),
    ageCell(row),
    expiryCell(what),
    usdCell(row.costPerHour, row),
    sshCell(what),
  ];
}

function ownerCell(owner: Owner): string {
  switch (owner.kind) {
    case "stack":
      return owner.stack;
    case "orphan":
      return `${owner.stack}: orphan`;
    case "otherStack":
      return "another stack";
    case "none":
      return "none";
  }
}

function expiryCell(what: Billable): string {
  const left = timeLeft(what);
  if (left === undefined) return emptyCell;
  return left > 0 ? `in ${showDuration(left)}` : `${showDuration(-left)} ago`;
}

/** Milliseconds until it expires. */
function timeLeft({ expiresAtTime, seenAt }: Billable): number | undefined {
  const time = readTimestamp(expiresAtTime);
  return time === undefined || seenAt === undefined ? undefined : time - seenAt;
}

function sshCell({ ssh = [] }: Billable): string {
  const command = sshCommandFor(ssh);
  if (command === undefined) return emptyCell;
  return ssh.length > 1 ? `${command} (1 of ${ssh.length})` : command;
}

/** "2 machines, 16 GPUs, 1 volume: $39.94/h, $958.62 a day" */
function showSum(all: readonly Billable[]): string {
  const volumes = all.filter(isVolume).length;
  const machines = all.length - volumes;
  const parts = [
    ...(machines > 0 ? [count(machines, "machine"), showGpus(countGpus(all))] : []),
    ...(volumes > 0 ? [count(volumes, "volume")] : []),
  ];
  return `${parts.join(", ")}: ${showPrice(all)}`;
}

function showPrice(all: readonly Billable[]): string {
  const sum = sumOf(all);
  const { perHour, known } = sum;
  if (known === 0) return "price unknown";
  return `${about(sum)}${showPerHour(perHour)}, ${about(sum)}${showUsd(perHour * hoursPerDay)} a day`;
}

/** How many names a sentence has. */
const mostNames = 5;

function namesIn(all: readonly Billable[]): string {
  const names = all.slice(0, mostNames).map(({ name }) => name);
  return [names.join(", "), ...(all.length > mostNames ? [`${all.length - mostNames} more`] : [])].join(" and ");
}

/** What is not in the list or not in the sum, and what may be otherwise than shown. */
function notesOn({ entries, notListed, gaps, unread, missing, leftOut }: Inventory): string[] {
  const all = entries.map(({ what }) => what);
  const unpriced = all.filter(({ costPerHour }) => costPerHour === undefined);
  return [
    ...(unpriced.length > 0 && unpriced.length < all.length
      ? [
          `Not included in the sum, because the price is unknown: ${namesIn(unpriced)}. Your own prices can be set in gpufleet:prices.`,
        ]
      : []),
    ...(sumOf(all).estimated ? ["≈ is a price of your price book: the service shows none."] : []),
    ...notListedNotes(notListed),
    ...gapNotes(
      gaps,
      entries.filter(({ what }) => what.isLastKnown).map(({ id, what: { type } }) => ({ id, type })),
    ),
    ...unread.map(
      ({ name, reason }) => `The state of ${name} could not be read, and may have some of these: ${reason}`,
    ),
    ...missingNotes(missing),
    ...leftOutNotes(leftOut),
  ];
}

function advice({ stacks, entries, elsewhere }: Inventory): string[] {
  const expired = entries.filter(({ what }) => (timeLeft(what) ?? 0) < 0);
  const late = stacks.filter((stack) => expired.some(({ owner }) => "stack" in owner && owner.stack === stack));
  const commands = late.map((stack) => `\`${commandLineFor("gpufleet expired", stack)}\``);
  const has = (kind: Owner["kind"]) => entries.some(({ owner }) => owner.kind === kind);
  return [
    ...(expired.length > 0
      ? [
          `Past its expiry and still billed: ${namesIn(expired.map(({ what }) => what))}.${commands.length > 0 ? ` ${commands.join(", ")} ${commands.length > 1 ? "say" : "says"} more.` : ""}`,
        ]
      : []),
    ...(has("orphan")
      ? [`An orphan was created by a stack and is in no state: \`${commandLine("gpufleet orphans")}\` says more.`]
      : []),
    ...(has("none")
      ? [`To manage what is in no stack: \`${commandLine("gpufleet import")}\` writes the program.`]
      : []),
    ...(elsewhere && elsewhere.length > 0
      ? [
          `Elsewhere in the account  ${showSum(elsewhere)}${nameUnpriced(elsewhere)}. \`${commandLine("gpufleet ls --account")}\` lists it.`,
        ]
      : []),
  ];
}

/** The same as JSON. */
export function inventoryJson(inventory: Inventory) {
  const { stacks, at, entries, elsewhere, missing, notListed, gaps, unread, leftOut } = inventory;
  return {
    version: 1,
    currency: "USD",
    at: new Date(at).toISOString(),
    stacks,
    resources: entries.map((entry) => entryJson(entry)),
    total: sumOf(entries.map(({ what }) => what)),
    ...(elsewhere && { elsewhere: { count: elsewhere.length, ...sumOf(elsewhere) } }),
    notListed,
    unreadable: [...gaps, ...unread.map(({ name, reason }) => ({ what: `state of ${name}`, reason }))],
    missing,
    leftOut,
  };
}

function entryJson({ id, what, owner }: Entry) {
  return {
    stack: "stack" in owner ? owner.stack : null,
    owner: owner.kind,
    id,
    ...rowOf(what),
    isLastKnown: what.isLastKnown === true,
    isReplaced: what.isReplaced === true,
    expiresAt: what.expiresAtTime ?? null,
    ssh: what.ssh ?? [],
    sshCommand: sshCommandFor(what.ssh) ?? null,
  };
}
