export type TimestampForm = "rfc3339" | "database";

/** `2026-09-12T13:59:00.123Z`, or the form of a database, `2026-09-12 13:59:00.123+00`. */
export function formatTimestamp(milliseconds: number, form: TimestampForm = "rfc3339"): string {
  const text = new Date(milliseconds).toISOString();
  return form === "rfc3339" ? text : text.replace("T", " ").replace("Z", "+00");
}
