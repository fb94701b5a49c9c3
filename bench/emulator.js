/** The service under the benchmark: the emulator in a process of its own. */
const fs = require("node:fs");
const path = require("node:path");
const { ToolError } = require("../tools/command");
const { spawnEmulator } = require("../tools/emulatorProcess");
const { local } = require("../tools/paths");

const collection = "/v2/alpha/on-demand/bare-metal-rentals";

/** @param {{provision: number, end: number}} seconds */
async function startService({ provision, end }) {
  fs.mkdirSync(path.join(local, "bench"), { recursive: true });
  const started = await spawnEmulator(
    ["--provision-seconds", String(provision), "--end-seconds", String(end), "--no-ssh"],
    path.join(local, "bench", `emulator-${provision}-${end}.log`),
    { detached: false },
  );
  if (!started) throw new ToolError("the emulator did not start");
  const { pid, url } = started;
  return {
    url,
    reset: () => fetch(`${url}/_emulator/reset`, { method: "POST" }),
    /** @returns {Promise<number>} */
    listCalls: async () => {
      const { counts } = await (await fetch(`${url}/_emulator/requests`)).json();
      return counts[`GET ${collection}`] ?? 0;
    },
    stop: () => process.kill(pid),
  };
}

module.exports = { collection, startService };
