import { existsSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { count } from "../../../provider/shared/count";
import { gapNotes, readSituations, type Situations } from "../../account";
import { isVolume, notListedNotes } from "../../money";
import { placeOf, type StackFlags } from "../../options";
import { commandLine } from "../../place";
import { leftOutNotes, resourcesOf } from "../../stack";
import { complain, withoutKeys, write } from "../../terminal";
import { type Adopting, adoptingProgram, hasResources } from "./adoptingProgram";
import { findAttachments } from "./attachments";
import { survey, titleOf } from "./survey";

export interface Flags extends StackFlags {
  id?: string[];
  out?: string;
  force?: boolean;
}

export async function run(flags: Flags): Promise<void> {
  const { out, force = false } = flags;
  if (force && out === undefined) throw new Error("--force needs --out");
  const file = out === undefined ? undefined : resolve(flags.cwd, out);
  if (file !== undefined && !force && existsSync(file)) {
    throw new Error(`${out} exists already: choose another file, or add --force to overwrite it`);
  }
  const found = await readSituations(placeOf(flags));
  try {
    const adopting = await whatToAdopt(found, flags.id);
    // Standard output is for the program.
    for (const line of summaryOf(adopting)) complain(line);
    if (adopting.adoptable.length === 0) return;
    if (file !== undefined && existsSync(file) && hasResources(adopting)) {
      throw new Error(
        `refused: stack ${adopting.stack} has resources, and ${out} may be their program: without it, the next \`up\` deletes them. Choose another file, and add it to that program`,
      );
    }
    const program = withoutKeys(adoptingProgram(adopting));
    if (file === undefined) write(program);
    else writeFileSync(file, program, { flag: force ? "w" : "wx" });
    complain(nextSteps(adopting, out));
  } finally {
    await found.close();
  }
}

export async function whatToAdopt(
  { situations, leftOut }: Pick<Situations, "situations" | "leftOut">,
  ids: readonly string[] | undefined,
): Promise<Adopting> {
  const [first, ...others] = situations;
  const { adoptable, refused } = await survey(first, ids);
  // What further accounts have cannot be written without their provider, and is only named.
  const elsewhere = ids ? [] : await Promise.all(others.map((other) => survey(other, undefined)));
  return {
    stack: first.name,
    existing: situations.flatMap(({ state }) => resourcesOf(state)),
    adoptable,
    refused: [...refused, ...elsewhere.flatMap((one) => one.refused)],
    ...(await findAttachments(first, adoptable)),
    notes: [
      ...new Set(situations.flatMap(({ notListed, gaps }) => [...notListedNotes(notListed), ...gapNotes(gaps)])),
      ...leftOutNotes(leftOut),
    ],
    now: first.runtime.client.serviceNow(),
  };
}

function summaryOf({ stack, adoptable, attachments, refused, remarks, notes }: Adopting): string[] {
  const volumes = adoptable.filter(({ what }) => isVolume(what)).length;
  const machines = adoptable.length - volumes;
  const parts = [
    ...(machines > 0 ? [count(machines, "machine")] : []),
    ...(volumes > 0 ? [count(volumes, "volume")] : []),
    ...(attachments.length > 0 ? [count(attachments.length, "attachment")] : []),
  ];
  return [
    parts.length > 0
      ? `The program for stack ${stack} adopts ${parts.join(", ")}.`
      : `There is nothing to import into stack ${stack}: ${refused.length > 0 ? "what runs in this account and is not in it cannot be adopted" : "nothing runs in this account that is in no stack"}.`,
    ...refused.map(({ what, reason }) => `Not included: ${titleOf(what)}: ${reason}.`),
    ...remarks,
    ...notes,
  ];
}

function nextSteps(adopting: Adopting, out: string | undefined): string {
  const where = out === undefined ? "" : `Wrote ${out}. `;
  const next = hasResources(adopting)
    ? `add it to the program of the stack (used instead of it, it would delete the existing resources), then run \`${commandLine("pulumi up")}\``
    : `\`${commandLine("pulumi up")}\` with this program`;
  return `${where}Next: ${next}. It shows "create" for each, but creates nothing on the service.`;
}
