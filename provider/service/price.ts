import { z } from "zod";
import { hoursPerMonth } from "../shared/money";
import { amount, answer, ifReadable } from "./answer";

const isPrice = (value: number) => value > 0;

/**
 * USD, or cents where the field says so. A price below zero is none: it is unknown, and must not make a sum smaller. So is one of zero: a
 * service may show it for as long as it knows no other, and no limit may let a machine pass for that.
 */
export const price = amount.refine(isPrice, "must be more than 0");

/** The same where it is as documented. */
export const documentedPrice = z.number().refine(isPrice, "must be more than 0");

/** The fields of a rental or a volume that tell its price. */
export const hourlyPrice = {
  costPerHour: ifReadable(price.nullable()),
  costPerHourCents: ifReadable(price.nullable()),
};

interface HourlyPrice {
  costPerHour?: number | null | undefined;
  costPerHourCents?: number | null | undefined;
}

/**
 * USD per hour of a rental or a volume, where the record tells, in its term first. The name of the field decides the unit, never the
 * size of the number.
 */
export function costPerHourOf({
  currentTerm,
  ...record
}: HourlyPrice & { currentTerm?: HourlyPrice | null | undefined }): number | undefined {
  for (const { costPerHour, costPerHourCents } of [currentTerm ?? {}, record]) {
    if (typeof costPerHour === "number") return costPerHour;
    if (typeof costPerHourCents === "number") return costPerHourCents / 100;
  }
  return undefined;
}

const hoursIn: Readonly<Record<string, number>> = {
  second: 1 / 3600,
  minute: 1 / 60,
  hour: 1,
  day: 24,
  month: hoursPerMonth,
};
const shortNames: Readonly<Record<string, string>> = {
  sec: "second",
  min: "minute",
  hr: "hour",
  h: "hour",
  dai: "day",
};

/** How many hours a price is for: one where nothing is said, undefined where the word is not plain. */
function hoursOf(period: string | null | undefined): number | undefined {
  if (period === null || period === undefined || period.trim() === "") return 1;
  const [, word = ""] = /^(?:per|\/)?[\s_-]*(?:1[\s_-]*)?([a-z]+?)(?:ly|s)?$/.exec(period.trim().toLowerCase()) ?? [];
  return hoursIn[shortNames[word] ?? word];
}

/** A price for one hour, whatever it was for. */
export function perHour(value: number, period: string | null | undefined): number | undefined {
  const hours = hoursOf(period);
  return hours === undefined ? undefined : value / hours;
}

/** A price with the time that it is for, read as that of an hour. */
export const pricePerPeriod = answer({
  amount: price,
  period: ifReadable(z.string().nullable()),
  agent: ifReadable(z.string()),
}).transform(({ amount: value, period, ...rest }, context) => {
  const hourly = perHour(value, period);
  if (hourly !== undefined) return { ...rest, amount: hourly, period: "hour" };
  context.addIssue({ code: "custom", path: ["period"], message: `is "${period}", which is not known` });
  return z.NEVER;
});
