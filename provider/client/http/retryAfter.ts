const imfDate = /^[A-Z][a-z]+, \d{2}[ -][A-Z][a-z]{2}[ -]\d{2}(\d{2})? \d{2}:\d{2}:\d{2} GMT$/;
const asctimeDate = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

/**
 * Reads a Retry-After header (RFC 9110, 10.2.3): seconds, or a date in any of the three forms of HTTP. Returns the
 * milliseconds to wait from `now`, 0 for a moment that has passed, and undefined for anything else, negative numbers included.
 */
export function readRetryAfter(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  // Date.parse alone would also make a date of "next 12", and takes asctime for local time.
  const date = imfDate.test(text) ? Date.parse(text) : asctimeDate.test(text) ? Date.parse(`${text} GMT`) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
