/** Medians and spreads. */

/** @param {readonly number[]} values */
function median(values) {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** @param {readonly number[]} values @param {string} [unit] */
function describe(values, unit = "s") {
  const digits = median(values) < 1 ? 3 : 2;
  const show = (/** @type {number} */ value) => value.toFixed(digits);
  return `${show(median(values))} ${unit} (${show(Math.min(...values))}–${show(Math.max(...values))})`;
}

module.exports = { describe, median };
