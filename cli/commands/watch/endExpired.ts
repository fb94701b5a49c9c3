import { messageOf } from "../../../provider/lifecycle";
import { destroyExpired, type Expired, findExpired, KeptError } from "../../expired";
import type { Stack } from "../../stack";

export interface EndRequest {
  /** Without it, nothing is destroyed. */
  yes: boolean;
  /** Whether volumes may be destroyed, too. */
  allowDataLoss: boolean;
  say: (line: string) => void;
}

export interface Ended {
  destroyed: Expired[];
  kept: Kept[];
}

export interface Kept {
  expired: Expired;
  /** `notAsked`: it was not to be destroyed; `failed`: it was tried; the others as in `KeptError`. */
  kind: "notAsked" | "failed" | KeptError["kind"];
  reason: string;
}

/** Destroys what has expired. One that is protected or would take data along is kept, and does not keep the others running. */
export async function endExpired(
  stack: Stack,
  expired: readonly Expired[],
  now: number,
  request: EndRequest,
): Promise<Ended> {
  if (expired.length === 0) return { destroyed: [], kept: [] };
  try {
    return await endTogether(stack, expired, now, request);
  } catch (error) {
    if (!(error instanceof KeptError)) throw error;
    const { safe, kept } = await sortOut(stack, expired, now, error);
    const ended = safe.length > 0 ? await endTogether(stack, safe, now, request) : { destroyed: [], kept: [] };
    return { destroyed: ended.destroyed, kept: [...kept, ...ended.kept] };
  }
}

async function endTogether(
  stack: Stack,
  expired: readonly Expired[],
  now: number,
  request: EndRequest,
): Promise<Ended> {
  try {
    if (await destroyExpired(stack, expired, { ...request, now })) return { destroyed: [...expired], kept: [] };
    return { destroyed: [], kept: keep(expired, "notAsked", "add --yes to destroy it") };
  } catch (error) {
    if (error instanceof KeptError) throw error;
    // A run that fails may have destroyed some of them: the state tells.
    const left = await stillThere(stack, expired, now);
    return { destroyed: expired.filter((one) => !left.includes(one)), kept: keep(left, "failed", messageOf(error)) };
  }
}

async function stillThere(stack: Stack, expired: readonly Expired[], now: number): Promise<Expired[]> {
  try {
    const urns = new Set(findExpired(await stack.exportState(), now).map(({ urn }) => urn));
    return expired.filter(({ urn }) => urns.has(urn));
  } catch {
    return [...expired];
  }
}

/** Asks for each alone whether it may be destroyed. */
async function sortOut(
  stack: Stack,
  expired: readonly Expired[],
  now: number,
  together: KeptError,
): Promise<{ safe: Expired[]; kept: Kept[] }> {
  if (expired.length === 1) return { safe: [], kept: keep(expired, together.kind, together.message) };
  const safe: Expired[] = [];
  const kept: Kept[] = [];
  for (const one of expired) {
    try {
      await destroyExpired(stack, [one], { yes: false, allowDataLoss: false, now, say: () => undefined });
      safe.push(one);
    } catch (error) {
      kept.push({
        expired: one,
        kind: error instanceof KeptError ? error.kind : "failed",
        reason: messageOf(error),
      });
    }
  }
  return { safe, kept };
}

export function keep(expired: readonly Expired[], kind: Kept["kind"], reason: string): Kept[] {
  return expired.map((one) => ({ expired: one, kind, reason }));
}
