import type { Stack } from "../stack";
import { type Expired, findExpired } from "./find";

export interface DestroyRequest {
  /** Without it, the command only says what it would do. */
  yes: boolean;
  /** Whether volumes that were created with it may be deleted, too. */
  allowDataLoss: boolean;
  /** The time, by the service's clock where it was asked. */
  now: number;
  say: (line: string) => void;
}

/** What has expired must not be destroyed without a person's word, and nothing was. */
export class KeptError extends Error {
  override readonly name = "KeptError";

  constructor(
    readonly kind: "dataLoss" | "protected",
    reason: string,
  ) {
    super(`refused, and nothing was destroyed: ${reason}`);
  }
}

/** Destroys what has expired. Returns whether it was done. */
export async function destroyExpired(
  stack: Stack,
  expired: readonly Expired[],
  { yes, allowDataLoss, now, say }: DestroyRequest,
): Promise<boolean> {
  refuseProtected(expired);
  if (!allowDataLoss) refuseDataLoss(expired);
  if (!yes) {
    say("Nothing was destroyed. Add --yes to destroy.");
    return false;
  }
  say((await stack.endExpired(expired.map(({ urn }) => urn))).trimEnd());
  await refuseUnended(stack, expired, now);
  return true;
}

function refuseProtected(expired: readonly Expired[]): void {
  const kept = expired.filter(({ keptBy }) => keptBy !== undefined);
  if (kept.length === 0) return;
  const names = kept.map(({ name, keptBy }) => `${name} (${keptBy})`).join(", ");
  throw new KeptError(
    "protected",
    `${names} is protected by a resource option. Remove the option from the program and run \`pulumi up\`.`,
  );
}

function refuseDataLoss(expired: readonly Expired[]): void {
  const lost = expired.flatMap(({ name, volumes }) => volumes.map((volume) => `${volume} (created with ${name})`));
  if (lost.length === 0) return;
  throw new KeptError(
    "dataLoss",
    `${lost.join(", ")} would be deleted, too, with its contents. Add --allow-data-loss; or keep it, with keepVolume on the rental that it was created with.`,
  );
}

/** A provider of another version would only have refreshed them. */
async function refuseUnended(stack: Stack, expired: readonly Expired[], now: number): Promise<void> {
  const urns = new Set(findExpired(await stack.exportState(), now).map(({ urn }) => urn));
  const left = expired.filter(({ urn }) => urns.has(urn)).map(({ name }) => name);
  if (left.length === 0) return;
  throw new Error(
    `${left.join(", ")} was not ended: the program may have another version of pulumi-gpufleet than this command. Run the command of that version.`,
  );
}
