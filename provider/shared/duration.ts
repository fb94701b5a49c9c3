const units = new Map([
  ["ms", 0.001],
  ["s", 1],
  ["m", 60],
  ["h", 3600],
  ["d", 86400],
]);
const part = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/g;
const whole = new RegExp(`^(?:${part.source})+$`);

/** Milliseconds of `90` (seconds), `"90s"`, `"30m"`, `"8h"`, `"2d"` or `"1h30m"`; undefined for anything else. */
export function readDuration(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) && value > 0 ? value * 1000 : undefined;
  const text = typeof value === "string" ? value.trim() : "";
  if (!whole.test(text)) return undefined;
  const seconds = [...text.matchAll(part)].reduce(
    (sum, [, amount, unit = ""]) => sum + Number(amount) * (units.get(unit) ?? 0),
    0,
  );
  return seconds > 0 ? seconds * 1000 : undefined;
}

/** `45s`, `3m10s`, `2h05m`, `3d4h`: the two largest units. */
export function showDuration(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m${pad(seconds % 60)}s`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)}h${pad(Math.floor((seconds % 3600) / 60))}m`;
  return `${Math.floor(seconds / 86400)}d${Math.floor((seconds % 86400) / 3600)}h`;
}

function pad(value: number): string {
  return String(value).padStart(2, "0");
}
