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

const periods: readonly [hours: number, ...names: string[]][] = [
  [1 / 3600, "second", "sec", "s"],
  [1 / 60, "minute", "min"],
  [1, "hour", "hr", "h"],
  [24, "day", "daily", "d"],
  [24 * 7, "week", "wk", "w"],
  [24 * 14, "fortnight"],
  [hoursPerMonth, "month", "mth", "mo"],
  [hoursPerMonth * 3, "quarter"],
  [hoursPerMonth * 12, "year", "yr", "y", "annum", "annual"],
];
const hoursIn = new Map(periods.flatMap(([hours, ...names]) => names.map((name) => [name, hours] as const)));

/** Words beside a period that do not change it. */
const besides = new Set(["a", "an", "per", "every", "usd", "gpu", "price", "rate"]);

/**
 * How many hours a price is for: `day`, `USD/month`, `3600s`, `PT1H`. One, as documented, unless the text says another
 * period and nothing else: `on-demand` says none, and `billed per second` not what the price is for.
 */
function hoursOf(period: string): number {
  const words = period
    .trim()
    .replace(/(?<=[a-z])(?=[A-Z])/g, " ")
    .toLowerCase()
    .replace(/\(s\)|(?<=[a-z])\./g, "")
    // ISO 8601: P1M is a month, PT1M a minute. An M alone may be either.
    .replace(/^p([\d.]+)m$/, "$1 month")
    .replace(/^(?:pt([\d.]+)|(\d{2,}))m$/, "$1$2 minute")
    .replace(/^pt?(?=\d)/, "")
    .split(/[^a-z\d.]+|^per|(?<=\d)(?=[a-z])/)
    .filter((word) => word !== "" && !besides.has(word));
  const [name = "", count = "1", ...others] = words.reverse();
  const unit = hoursIn.get(name) ?? hoursIn.get(name.replace(/(?<=..)(?:ly|s)$/, "")) ?? 0;
  const hours = others.length === 0 ? Number(count) * unit : 0;
  return hours > 0 && Number.isFinite(hours) ? hours : 1;
}

/** A price with the time that it is for, read as that of an hour. */
export const pricePerPeriod = answer({
  amount: price,
  period: ifReadable(z.string()),
  agent: ifReadable(z.string()),
}).transform(({ amount: value, period = "", ...rest }) => ({
  ...rest,
  amount: value / hoursOf(period),
  period: "hour",
}));
