import { priceIn } from "../../../provider/shared/prices";
import { type AccountPrices, byName, type PriceSubject, type ServicePrice } from "./gather";

/** Several prices of the same thing in the same region. */
export interface Difference extends PriceSubject {
  /** As the service shows them, by the hour and without discount. */
  service: ServicePrice[];
  /** What the price book has there; null where it has none. */
  book: number | null;
}

/** Where the service and the book, or two prices of the service, do not agree. */
export function differencesIn({ service, book }: AccountPrices): Difference[] {
  const subjects = new Map<string, Difference>();
  for (const price of service) {
    const { name, region, terms } = price;
    if (terms !== null) continue;
    const key = JSON.stringify([name, region]);
    const byBook = priceIn(book, { name, amount: 1, region: region ?? undefined }) ?? null;
    const known = subjects.get(key) ?? { name, region, service: [], book: byBook };
    subjects.set(key, { ...known, service: [...known.service, price] });
  }
  return [...subjects.values()]
    .filter(
      (subject) =>
        new Set([...subject.service.map(({ usd }) => usd), subject.book ?? subject.service[0]?.usd]).size > 1,
    )
    .sort(byName);
}
