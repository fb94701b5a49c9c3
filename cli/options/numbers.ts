import { InvalidArgumentError } from "commander";

/** Reads an option's value as a number from 0 up; `what` names it where it is none. */
export function atLeastZero(what = "a number"): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== "" && Number.isFinite(value) && value >= 0) return value;
    throw new InvalidArgumentError(`It must be ${what}, 0 or more.`);
  };
}

/** Reads an option's value as a whole number within these bounds. */
export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };
}
