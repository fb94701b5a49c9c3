import { messageOf } from "../../provider/shared/messageOf";
import type { Stack } from "../stack";
import { type Expired, stillExpired } from "./find";
import { type Kept, keep, whyKept } from "./kept";

export interface DestroyRequest {
  /** Without it, nothing is destroyed. */
  yes: boolean;
  /** Whether volumes that were created with it may be deleted, too. */
  allowDataLoss: boolean;
  say: (line: string) => void;
}

export interface Ended {
  destroyed: Expired[];
  kept: Kept[];
}

/** Destroys what has expired. What must not be destroyed is kept, and does not keep the others running. */
export async function destroyExpired(
  stack: Stack,
  expired: readonly Expired[],
  { yes, allowDataLoss, say }: DestroyRequest,
): Promise<Ended> {
  const judged = expired.map((one) => ({ one, kept: whyKept(one, { allowDataLoss }) }));
  const kept = judged.flatMap((each) => each.kept ?? []);
  const safe = judged.flatMap(({ one, kept }) => (kept ? [] : [one]));
  if (safe.length === 0) return { destroyed: [], kept };
  if (!yes) return { destroyed: [], kept: [...kept, ...keep(safe, "notAsked", "add --yes to destroy it")] };
  const failure = await stack.endExpired(safe.map(({ urn }) => urn)).then(
    (output) => {
      say(output.trimEnd());
      // A provider of another version would only have refreshed them.
      return "the program may have another version of pulumi-gpufleet than this command. Run the command of that version.";
    },
    (error: unknown) => messageOf(error),
  );
  // Also a run that fails may have destroyed some of them: the state tells.
  const left = await stillThere(stack, safe);
  return {
    destroyed: safe.filter((one) => !left.includes(one)),
    kept: [...kept, ...keep(left, "failed", failure)],
  };
}

async function stillThere(stack: Stack, expired: readonly Expired[]): Promise<Expired[]> {
  try {
    return stillExpired(expired, await stack.exportState());
  } catch {
    return [...expired];
  }
}
