const form = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)\s*(Z|[+-]\d\d(?::?\d\d)?)?(?:\s*(UTC|GMT))?$/i;

/** `Sat, 12 Sep 2026 13:59:00 GMT`, or as JavaScript writes it: `Sat Sep 12 2026 13:59:00 GMT+0000 (Coordinated Universal Time)`. */
const inWords =
  /^[a-z]{3},? (?:\d{1,2} [a-z]{3}|[a-z]{3} \d{1,2}) \d{4} \d\d:\d\d:\d\d ((?:GMT|UTC)?[+-]\d{4}|GMT|UTC)(?: \([^()]*\))?$/i;

/**
 * Reads a timestamp of the service: RFC 3339, the form of a database, `2026-09-12 13:59:00.123+00`, also with `UTC` behind it, or that
 * of a `Date` header. Returns milliseconds since 1970, or undefined for anything else.
 */
export function readTimestamp(text: unknown): number | undefined {
  if (typeof text !== "string") return undefined;
  const parts = form.exec(text.trim());
  if (!parts) return inWords.test(text.trim()) ? numberOf(Date.parse(text.trim())) : undefined;
  const [, date, time, zone = "Z"] = parts;
  const offset = zone.toUpperCase() === "Z" ? "Z" : `${zone.slice(0, 3)}:${zone.slice(3).replace(":", "") || "00"}`;
  return numberOf(Date.parse(`${date}T${time}${offset}`));
}

function numberOf(milliseconds: number): number | undefined {
  return Number.isNaN(milliseconds) ? undefined : milliseconds;
}

const dateAlone = /^\d{4}-\d\d-\d\d$/;
/** Seconds or milliseconds since 1970, as text. */
const sinceEpoch = /^(\d{10}(?:\.\d+)?|\d{13})$/;
/** How services write that there is no time, besides null. */
const noTime = /^(none|null|nil|undefined|n\/?a|never|infinity|tbd|0|-*|0000-00-00.*)$/i;
/** What is before this is no time either: zero as some clock has it, in any time zone. */
const firstTime = Date.UTC(1971);

/**
 * Reads a time that a record has only once it has come: undefined where there is none, `"unreadable"` where there is something, and nobody
 * knows what. A date alone has passed when it is over everywhere; as long as it is that day somewhere (`now`), nobody knows.
 */
export function readMoment(
  text: string | null | undefined,
  now = Number.POSITIVE_INFINITY,
): number | "unreadable" | undefined {
  const told = text?.trim() ?? "";
  if (noTime.test(told)) return undefined;
  const time = dateAlone.test(told) ? endOfDay(told, now) : (readEpoch(told) ?? readTimestamp(told));
  if (typeof time !== "number") return "unreadable";
  return time < firstTime ? undefined : time;
}

function endOfDay(date: string, now: number): number | undefined {
  const [begins, ends] = [readTimestamp(`${date}T00:00:00+14:00`), readTimestamp(`${date}T23:59:59-12:00`)];
  if (begins === undefined || ends === undefined) return undefined;
  return now >= begins && now < ends ? undefined : ends;
}

function readEpoch(text: string): number | undefined {
  if (!sinceEpoch.test(text)) return undefined;
  return text.length === 13 && !text.includes(".") ? Number(text) : Number(text) * 1000;
}

/** Whether a timestamp says of which time zone it is. The service's are UTC where they do not; a person may mean another. */
export function hasTimeZone(text: string): boolean {
  const [, , , zone, name] = form.exec(text.trim()) ?? [];
  return (zone ?? name) !== undefined || inWords.test(text.trim());
}

/** A time in milliseconds or as RFC 3339, for people: `2026-11-15 18:00 UTC`. */
export function showTime(time: number | string): string {
  return `${new Date(time).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
