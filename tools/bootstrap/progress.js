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

/** @typedef {{isTTY?: boolean, columns?: number, write(text: string): unknown}} ProgressStream */

/**
 * @typedef {object} Progress
 * @property {(share: number, text: string) => void} show how much is done, from 0 to 1, and what is being done. It never goes back
 * @property {() => void} done all of it is done
 * @property {() => void} stop whatever became of it, nothing more is shown
 */

const BAR_WIDTH = 24;
const REDRAW_MS = 1000;
const CLEAR = "\r\u001b[2K";

/**
 * Progress of work whose size is known: a bar on a terminal; elsewhere, as in a CI log, a line for every quarter.
 * @param {string} step
 * @param {{say?: Say, stream?: ProgressStream, now?: () => number}} [options]
 * @returns {Progress}
 */
function createProgress(step, { say = announce(step), stream = process.stderr, now = Date.now } = {}) {
  const started = now();
  let share = 0;
  let text = "";
  let quarters = 0;
  const percent = () => `${Math.floor(share * 100)}%`;
  const draw = () => {
    const filled = Math.round(share * BAR_WIDTH);
    const bar = "█".repeat(filled) + "░".repeat(BAR_WIDTH - filled);
    const line = `${step.padEnd(14)}${bar} ${percent().padStart(4)}  ${text}, ${formatDuration(now() - started)}`;
    // A line that wraps could not be drawn over.
    stream.write(CLEAR + line.slice(0, (stream.columns || 80) - 1));
  };
  const timer = stream.isTTY ? setInterval(draw, REDRAW_MS) : undefined;
  const advance = (/** @type {number} */ to) => {
    share = Math.max(share, to);
    if (stream.isTTY) return draw();
    if (Math.floor(share * 4) <= quarters) return;
    quarters = Math.floor(share * 4);
    say(`${percent()}  ${text}, ${formatDuration(now() - started)}`);
  };
  return {
    show: (to, what) => {
      text = what;
      // Only what is done is 100%.
      advance(Math.min(to, 0.99));
    },
    done: () => {
      text = "done";
      advance(1);
    },
    stop: () => {
      clearInterval(timer);
      if (stream.isTTY) stream.write("\n");
    },
  };
}

module.exports = { announce, createProgress, formatDuration, withProgress };
