import { InvalidArgumentError } from "commander";

/** A number as people write it. To `Number` alone, nothing at all is 0. */
function numberIn(text: string): number | undefined {
  const value = Number(text);
  return text.trim() !== "" && Number.isFinite(value) ? value : undefined;
}

/** The same from 0 up. */
export function amountIn(text: string): number | undefined {
  const value = numberIn(text);
  return value !== undefined && value >= 0 ? value : undefined;
}

/** Reads an option's value as any number. */
export function anyNumber(text: string): number {
  const value = numberIn(text);
  if (value !== undefined) return value;
  throw new InvalidArgumentError("It must be a number.");
}

/** Reads an option's value as a number from 0 up; the error names it. */
export function amountOf(what: string): (text: string) => number {
  return (text) => {
    const value = amountIn(text);
    if (value !== undefined) return value;
    throw new InvalidArgumentError(`It must be ${what}, 0 or more.`);
  };
}

/** The same for a number above 0. */
export function positiveOf(what: string): (text: string) => number {
  return (text) => {
    const value = numberIn(text);
    if (value !== undefined && value > 0) return value;
    throw new InvalidArgumentError(`It must be ${what}, more than 0.`);
  };
}

export const atLeastZero = amountOf("a number");

/** Reads an option's value as a whole number within these bounds. */
export function whole(least: number, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    const bounds = most === Number.MAX_SAFE_INTEGER ? `, ${least} or more` : ` from ${least} to ${most}`;
    throw new InvalidArgumentError(`It must be a whole number${bounds}.`);
  };
}
