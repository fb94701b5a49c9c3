import { type Billable, billablesOf, sizeOf } from "../../money";
import { type Change, changesOf, parsePreview } from "../../preview";
import type { Stack } from "../../stack";
import type { Expired } from "./find";

export interface DestroyRequest {
  /** Without it, nothing is done but said. */
  yes: boolean;
  /** Whether volumes may go along. */
  allowDataLoss: boolean;
  say: (line: string) => void;
}

/** Ends what has expired and whatever depends on it, as the engine itself reckons that. Returns whether it was done. */
export async function destroyExpired(
  stack: Stack,
  expired: readonly Expired[],
  request: DestroyRequest,
): Promise<boolean> {
  const { say, yes, allowDataLoss } = request;
  const targets = [...expired.flatMap(({ urn }) => ["--target", urn]), "--target-dependents"];
  const urns = new Set(expired.map(({ urn }) => urn));
  const along = (await previewDestroy(stack, targets)).filter(({ urn }) => !urns.has(urn));
  if (along.length > 0) {
    say("What depends on them goes along:");
    for (const change of along) say(`  ${describe(change)}`);
  }
  const volumes = along.flatMap(billedBy).filter(({ kind }) => kind === "storage volume");
  if (volumes.length > 0 && !allowDataLoss) {
    const names = volumes.map(({ name }) => name).join(", ");
    throw new Error(
      `refused, and nothing was ended: ${names} would go along, with all that is on it. Add --allow-data-loss, or take the dependency out of the program.`,
    );
  }
  if (!yes) {
    say("Nothing was ended. Add --yes to do it.");
    return false;
  }
  say((await stack.pulumi("destroy", "--yes", "--skip-preview", ...targets)).trimEnd());
  return true;
}

async function previewDestroy(stack: Stack, targets: readonly string[]): Promise<Change[]> {
  const text = await stack.pulumi("destroy", "--preview-only", "--json", ...targets);
  return changesOf(parsePreview(text, "`pulumi destroy --preview-only --json`")).filter(({ op }) => op === "delete");
}

function describe(change: Change): string {
  const [billed] = billedBy(change);
  return billed
    ? `${billed.kind} ${change.name}, ${sizeOf(billed)}`
    : `${change.gpufleetType ?? change.type} ${change.name}`;
}

function billedBy({ gpufleetType, name, before }: Change): Billable[] {
  return gpufleetType && before ? billablesOf(gpufleetType, name, { ...before.inputs, ...before.outputs }) : [];
}
