/** How a sum is shown of which not every price is known: short in tables, in words in sentences. */
import { count } from "../../provider/shared/count";
import { showPerHour } from "../../provider/shared/money";
import { about, type Sum } from "./sum";

type Unpriced = Pick<Sum, "unknown">;

/** `≈ $19.92/h + 2 unknown`, or `price unknown` where none is known. */
export function sumCell(sum: Sum): string {
  if (sum.known === 0) return "price unknown";
  return [`${about(sum)}${showPerHour(sum.perHour)}`, ...unknownTerms(sum)].join(" + ");
}

/** What a sum in a table has besides its amount: `2 unknown`, or nothing. */
export function unknownTerms({ unknown }: Unpriced): string[] {
  return unknown > 0 ? [`${unknown} unknown`] : [];
}

/** `≈ $19.92/h and 2 at an unknown price`, or `at an unknown price` where none is known. */
export function sumInWords(sum: Sum): string {
  const { perHour, known, unknown } = sum;
  if (known === 0) return unpriced;
  return `${about(sum)}${showPerHour(perHour)}${unknown > 0 ? ` and ${atUnknownPrice(sum)}` : ""}`;
}

/** `2 at an unknown price` */
export function atUnknownPrice({ unknown }: Unpriced): string {
  return `${unknown} ${unpriced}`;
}

/** Of one thing, or of all. */
export const unpriced = "at an unknown price";

/** After what is said of a sum: `, not including 2 unknown prices`, or nothing. */
export function notIncluding({ unknown }: Unpriced): string {
  return unknown > 0 ? `, not including ${count(unknown, "unknown price")}` : "";
}
