/**
 * Running other programs, and ending well: on Ctrl-C the child gets the signal too (same process group), so the tool
 * waits for it, cleans up behind itself and only then exits.
 */
const { spawn } = require("node:child_process");

/** What went wrong is fully said by the message; a stack would be noise. */
class ToolError extends Error {}

class Interrupted extends ToolError {
  constructor() {
    super("Interrupted.");
  }
}

/**
 * @typedef {object} RunOptions
 * @property {string} [cwd]
 * @property {NodeJS.ProcessEnv} [env]
 * @property {"inherit" | "capture"} [output] "capture" collects standard output and error instead of showing them
 * @property {number} [timeoutMs] past it the program is killed and `timedOut` is set
 * @property {(text: string) => void} [onOutput] sees captured text as it arrives
 */

/**
 * @typedef {object} Outcome
 * @property {number} code
 * @property {string} stdout
 * @property {string} stderr
 * @property {boolean} timedOut
 */

/**
 * Resolves with the exit code, whatever it is; rejects if the program cannot be started or the user interrupts.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {RunOptions} [options]
 * @returns {Promise<Outcome>}
 */
function run(command, args, options = {}) {
  const captured = options.output === "capture";
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: options.env ?? process.env,
      stdio: captured ? ["ignore", "pipe", "pipe"] : "inherit",
    });
    const collected = { stdout: "", stderr: "" };
    for (const stream of /** @type {const} */ (["stdout", "stderr"])) {
      child[stream]?.setEncoding("utf8").on("data", (text) => {
        collected[stream] += text;
        options.onOutput?.(text);
      });
    }

    let timedOut = false;
    let interrupted = false;
    const timer =
      options.timeoutMs &&
      setTimeout(() => {
        timedOut = true;
        child.kill("SIGKILL");
        // A grandchild may hold the pipes open; what it would still say is of no interest.
        child.stdout?.destroy();
        child.stderr?.destroy();
      }, options.timeoutMs);
    const onInterrupt = () => {
      interrupted = true;
    };
    const onTerminate = () => {
      interrupted = true;
      child.kill("SIGTERM");
    };
    process.on("SIGINT", onInterrupt);
    process.on("SIGTERM", onTerminate);
    const finish = (/** @type {() => void} */ done) => {
      clearTimeout(timer || undefined);
      process.off("SIGINT", onInterrupt);
      process.off("SIGTERM", onTerminate);
      done();
    };

    child.on("error", (cause) =>
      finish(() => reject(new ToolError(`${command} could not be started: ${cause.message}`))),
    );
    child.on("close", (code, signal) =>
      finish(() => {
        if (interrupted || signal === "SIGINT") reject(new Interrupted());
        else resolve({ code: code ?? 1, timedOut, ...collected });
      }),
    );
  });
}

/**
 * Runs a tool's main function and exits with what it returns (0 when nothing).
 * @param {() => Promise<number | void>} tool
 */
function main(tool) {
  tool().then(
    (code) => {
      process.exitCode = code ?? 0;
    },
    (error) => {
      if (error instanceof Interrupted) {
        process.exitCode = 130;
        return;
      }
      const isClear = error instanceof ToolError || /^ERR_PARSE_ARGS/.test(error.code);
      process.stderr.write(`\n${isClear ? error.message : error.stack}\n`);
      process.exitCode = 1;
    },
  );
}

module.exports = { Interrupted, ToolError, main, run };
