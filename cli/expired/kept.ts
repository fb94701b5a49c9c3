import { commandLine } from "../place";
import type { Expired } from "./find";

/** What has expired and was not destroyed. */
export interface Kept {
  expired: Expired;
  /**
   * `notAsked`: it was not to be destroyed; `failed`: it was tried; `protected`, `dataLoss`: it must not be without a person's word;
   * `unasked`: its service could not be asked for the time.
   */
  kind: "notAsked" | "failed" | "protected" | "dataLoss" | "unasked";
  reason: string;
}

/** Why this one must not be destroyed; undefined where nothing is in the way. */
export function whyKept(expired: Expired, { allowDataLoss }: { allowDataLoss: boolean }): Kept | undefined {
  const { keptBy, volumes, unasked, name } = expired;
  if (keptBy !== undefined) {
    const reason = `the resource option ${keptBy} protects it. Remove the option from the program and run \`${commandLine("pulumi up")}\`.`;
    return { expired, kind: "protected", reason };
  }
  if (volumes.length > 0 && !allowDataLoss) {
    const lost = volumes.map((volume) => `${volume.name} (created with ${name})`).join(", ");
    const reason = `${lost} would be deleted, too, with its contents. Add --allow-data-loss; or keep it, with keepVolume on the rental that it was created with.`;
    return { expired, kind: "dataLoss", reason };
  }
  if (unasked === undefined) return undefined;
  return { expired, kind: "unasked", reason: `only this machine's clock says that it has expired: ${unasked}` };
}

export function keep(expired: readonly Expired[], kind: Kept["kind"], reason: string): Kept[] {
  return expired.map((one) => ({ expired: one, kind, reason }));
}

/** `job, train: the reason`, one for each reason. */
export function describeKept(kept: readonly Kept[]): string[] {
  const names = new Map<string, string[]>();
  for (const { expired, reason } of kept) names.set(reason, [...(names.get(reason) ?? []), expired.name]);
  return [...names].map(([reason, named]) => `${named.join(", ")}: ${reason}`);
}
