/** @typedef {import("../row").Row} Row */

const minuteMs = 60_000;

/**
 * @param {number} amount
 * @param {number} digits
 */
export function formatUsd(amount, digits = 2) {
  return `$${amount.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })}`;
}

/**
 * Small amounts, such as those of a volume, need more digits.
 * @param {number} amount
 */
export function formatCost(amount) {
  return formatUsd(amount, amount !== 0 && amount < 0.1 ? 4 : 2);
}

/**
 * @param {string} from
 * @param {string} now
 */
export function formatAge(from, now) {
  const minutes = Math.floor((Date.parse(now) - Date.parse(from)) / minuteMs);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 2880) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${Math.floor(minutes / 1440)} days`;
}

/**
 * "2026-01-01 13:59:02 UTC"
 * @param {string} timestamp
 */
export function formatTime(timestamp) {
  return `${new Date(timestamp).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/**
 * "storage-volume" as "Storage volume".
 * @param {string} kind
 */
export function formatKind(kind) {
  return `${kind.charAt(0).toUpperCase()}${kind.slice(1).replaceAll("-", " ")}`;
}

/**
 * @param {number} amount
 * @param {string} noun
 */
export function count(amount, noun) {
  return `${amount.toLocaleString("en-US")} ${noun}${amount === 1 ? "" : "s"}`;
}

/**
 * How a thing is called: by its label, else by its id.
 * @param {Row} row
 */
export function nameOf({ label, id }) {
  return label || String(id);
}

/**
 * Where the page shows it.
 * @param {Row} row
 */
export function linkTo({ kind, id }) {
  return `#${kind}/${encodeURIComponent(String(id))}`;
}

/** @type {Partial<Record<Row["phase"], string>>} */
const tones = { ready: "good", starting: "wait", ending: "wait", failed: "bad" };

/** @param {Row} row */
export function statusClass({ phase }) {
  return `status ${tones[phase] ?? ""}`.trim();
}
