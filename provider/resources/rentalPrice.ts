import type { z } from "zod";
import { type ActiveBareMetalRental, costPerHourOf, type createVmRentalRequest, type VmRental } from "../service";

type Rental = ActiveBareMetalRental | VmRental;
type Request = z.output<typeof createVmRentalRequest>;
type Terms = Pick<Request, "termType" | "termPeriodDays" | "discountPercentage">;
type Asked = Pick<Request, "gpuType" | "gpuCount"> & Terms & { region: string };

/** What a rental costs where one like it runs already, on the same terms: the service has no price list. */
export function priceOfLike(running: readonly Rental[], asked: Asked): number | undefined {
  const alike = running.find(
    (rental) =>
      rental.gpuType === asked.gpuType &&
      rental.region === asked.region &&
      termsOf(rental.currentTerm ?? byTheHour) === termsOf(asked) &&
      costPerHourOf(rental) !== undefined,
  );
  const known = alike && costPerHourOf(alike);
  return known && alike.gpuCount ? (known / alike.gpuCount) * asked.gpuCount : undefined;
}

/** As which a record without a term counts. */
const byTheHour = { termType: "on-demand" };

function termsOf({ termType, ...reserved }: { [Key in keyof Terms]?: unknown }): string {
  const { termPeriodDays, discountPercentage } = termType === byTheHour.termType ? {} : reserved;
  return JSON.stringify([termType, termPeriodDays ?? null, discountPercentage ?? 0]);
}
