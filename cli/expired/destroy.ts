import { type Billable, billablesOf, isVolume, sizeOf } from "../money";
import { type Change, changesOf, kindOf, parsePreview } from "../preview";
import { nounOf, type Stack } from "../stack";
import type { Expired } from "./find";

export interface DestroyRequest {
  /** Without it, the command only says what it would do. */
  yes: boolean;
  /** Whether volumes may be destroyed, too. */
  allowDataLoss: boolean;
  say: (line: string) => void;
}

/** What has expired would take the contents of volumes along, and nothing was destroyed. */
export class DataLossError extends Error {
  override readonly name = "DataLossError";

  /** The volumes by name, each with the rental that it was created with. */
  constructor(volumes: readonly string[]) {
    super(
      `refused, and nothing was destroyed: ${volumes.join(", ")} would be destroyed, too, with its contents. Add --allow-data-loss; or keep it, with keepVolume on the rental that it was created with, or by removing the dependency from the program.`,
    );
  }
}

/** Destroys what has expired and whatever the engine finds to depend on it. Returns whether it was done. */
export async function destroyExpired(
  stack: Stack,
  expired: readonly Expired[],
  request: DestroyRequest,
): Promise<boolean> {
  const { say, yes, allowDataLoss } = request;
  const targets = [...expired.flatMap(({ urn }) => ["--target", urn]), "--target-dependents"];
  const urns = new Set(expired.map(({ urn }) => urn));
  const deleted = await previewDestroy(stack, targets);
  const dependents = deleted.filter(({ urn }) => !urns.has(urn));
  if (dependents.length > 0) {
    say("These depend on them and are destroyed, too:");
    for (const change of dependents) say(`  ${describe(change)}`);
  }
  const volumes = deleted.filter(({ retained }) => !retained).flatMap(billedBy);
  const lost = volumes.filter((one) => isVolume(one) && !one.outlives);
  if (lost.length > 0 && !allowDataLoss) {
    const names = lost.map(({ name, createdWith }) => (createdWith ? `${name} (created with ${createdWith})` : name));
    throw new DataLossError(names);
  }
  if (!yes) {
    say("Nothing was destroyed. Add --yes to destroy.");
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
    ? `${nounOf(billed.type)} ${change.name}, ${sizeOf(billed)}`
    : `${kindOf(change) ?? change.type} ${change.name}`;
}

function billedBy({ gpufleetType, name, before }: Change): Billable[] {
  return gpufleetType && before ? billablesOf(gpufleetType, name, { ...before.inputs, ...before.outputs }) : [];
}
