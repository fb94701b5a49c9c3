import { costPerHourOf } from "../service";

/** A rental, bare metal or a virtual machine, as far as its price depends on it. */
type Listed = Parameters<typeof costPerHourOf>[0] & {
  gpuType?: string | undefined;
  gpuCount?: number | undefined;
  region?: string | null | undefined;
  currentTerm?: Partial<Record<keyof Terms, unknown>> | null | undefined;
};

interface Terms {
  termType: string;
  termPeriodDays?: number | null | undefined;
  discountPercentage: number;
}

interface Asked extends Terms {
  gpuType: string;
  gpuCount: number;
  region: string;
}

/** What a rental costs where one like it runs already, on the same terms: the service has no price list. */
export function priceOfLike(running: readonly Listed[], asked: Asked): number | undefined {
  const alike = running.find(
    (rental) =>
      rental.gpuType === asked.gpuType &&
      rental.region === asked.region &&
      termsOf(rental.currentTerm ?? byTheHour) === termsOf({ ...asked }) &&
      costPerHourOf(rental) !== undefined,
  );
  const known = alike && costPerHourOf(alike);
  return known && alike.gpuCount ? (known / alike.gpuCount) * asked.gpuCount : undefined;
}

/** As which a record without a term counts. */
const byTheHour = { termType: "on-demand" };

function termsOf({ termType, ...reserved }: Partial<Record<keyof Terms, unknown>>): string {
  const { termPeriodDays, discountPercentage } = termType === byTheHour.termType ? {} : reserved;
  return JSON.stringify([termType, termPeriodDays ?? null, discountPercentage ?? 0]);
}
