const form = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)\s*(Z|[+-]\d\d(?::?\d\d)?)?(?:\s*(UTC|GMT))?$/i;

/**
 * Reads a timestamp of the service: RFC 3339, or the form of a database, `2026-09-12 13:59:00.123+00`, also with `UTC` behind it.
 * Returns milliseconds since 1970, or undefined for anything else.
 */
export function readTimestamp(text: unknown): number | undefined {
  if (typeof text !== "string") return undefined;
  const parts = form.exec(text.trim());
  if (!parts) return undefined;
  const [, date, time, zone = "Z"] = parts;
  const offset = zone.toUpperCase() === "Z" ? "Z" : `${zone.slice(0, 3)}:${zone.slice(3).replace(":", "") || "00"}`;
  const milliseconds = Date.parse(`${date}T${time}${offset}`);
  return Number.isNaN(milliseconds) ? undefined : milliseconds;
}

/** Whether a timestamp says of which time zone it is. The service's are UTC where they do not; a person may mean another. */
export function hasTimeZone(text: string): boolean {
  const [, , , zone, name] = form.exec(text.trim()) ?? [];
  return (zone ?? name) !== undefined;
}

/** A time in milliseconds or as RFC 3339, for people: `2026-11-15 18:00 UTC`. */
export function showTime(time: number | string): string {
  return `${new Date(time).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
