import { InvalidArgumentError } from "commander";

/** Reads an option's value as a number from 0 up; the error names it. */
export function amountOf(what: string): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== "" && Number.isFinite(value) && value >= 0) return value;
    throw new InvalidArgumentError(`It must be ${what}, 0 or more.`);
  };
}

/** The same for a number above 0. */
export function positiveOf(what: string): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (Number.isFinite(value) && value > 0) return value;
    throw new InvalidArgumentError(`It must be ${what}, more than 0.`);
  };
}

export const atLeastZero = amountOf("a number");

/** Reads an option's value as a whole number within these bounds. */
export function whole(least: number, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };
}
