import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import { hasUnknown } from "../../shared/unknown";
import type { Values } from "../model";
import { defaultOf } from "./check";

export interface DiffRules {
  inputs: z.ZodObject;
  /** Provider-side inputs and whatever else changes in place. Every other input replaces: the service has no update. */
  inPlace: ReadonlySet<string>;
  /** Lists whose order means nothing. */
  sets?: readonly string[] | undefined;
  /** Where equality is not the question: true when the difference is no change. */
  isSame?: ((key: string, olds: Values, news: Values) => boolean) | undefined;
}

export interface Diff {
  changes: boolean;
  /** The properties that differ and cannot change in place. */
  replaces: string[];
  /** Those that differ and can. */
  updates: string[];
}

/** Compares the state with the inputs of the program, without asking anyone. */
export function diffInputs(rules: DiffRules, olds: Values, news: Values): Diff {
  const changed = Object.keys(rules.inputs.shape).filter((key) => isChanged(rules, key, olds, news));
  return {
    changes: changed.length > 0,
    replaces: changed.filter((key) => !rules.inPlace.has(key)),
    updates: changed.filter((key) => rules.inPlace.has(key)),
  };
}

function isChanged(rules: DiffRules, key: string, olds: Values, news: Values): boolean {
  // An older version of the provider did not write down a default that was added since.
  const fallback = defaultOf(rules.inputs.shape[key]);
  const before = olds[key] ?? fallback;
  const after = news[key] ?? fallback;
  if (hasUnknown(after)) return true;
  const ordered = rules.sets?.includes(key) ? asSet : (value: unknown) => value;
  if (isDeepStrictEqual(withoutEmpty(ordered(before)), withoutEmpty(ordered(after)))) return false;
  return !rules.isSame?.(key, olds, news);
}

/** The same set in the order that it had: so the engine, which compares lists in their order, sees no change either. */
export function withFormerOrder(sets: readonly string[], olds: Values, news: Values): Values {
  const same = sets.filter(
    (key) => key in olds && key in news && isDeepStrictEqual(asSet(olds[key]), asSet(news[key])),
  );
  return { ...news, ...Object.fromEntries(same.map((key) => [key, olds[key]])) };
}

function asSet(value: unknown): unknown {
  return Array.isArray(value) ? [...new Set(value.map((member) => JSON.stringify(member)))].sort() : value;
}

/** An absent list or object and an empty one say the same. */
function withoutEmpty(value: unknown): unknown {
  if (value === null || (Array.isArray(value) && value.length === 0)) return undefined;
  return value;
}
