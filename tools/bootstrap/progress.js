/** What a step says while it works. Always on standard error: standard output belongs to results. */

/** @typedef {(text: string) => void} Say */

/**
 * @param {string} step
 * @returns {Say}
 */
function announce(step) {
  return (text) => {
    process.stderr.write(`${step.padEnd(14)}${text}\n`);
  };
}

/** @param {number} milliseconds */
function formatDuration(milliseconds) {
  const seconds = Math.round(milliseconds / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, "0")} s`;
}

/**
 * Says every 15 seconds that the work is still going on, in whole lines: they read well in a CI log, too.
 * @template T
 * @param {Say} say
 * @param {() => string} describe
 * @param {() => Promise<T>} work
 */
async function withProgress(say, describe, work) {
  const started = Date.now();
  const timer = setInterval(() => say(`${describe()}, ${formatDuration(Date.now() - started)} so far`), 15_000);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

module.exports = { announce, formatDuration, withProgress };
