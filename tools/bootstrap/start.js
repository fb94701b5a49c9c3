/** `npm start`: sets everything up and brings up the default fleet, on the emulator unless an account is configured. */
const { main } = require("./command");
const { startEmulator } = require("./localEmulator");
const { LocalStack, accountService, chooseTarget } = require("./localStack");
const { announce } = require("./progress");
const { setUp } = require("./setUp");

main(async () => {
  const target = chooseTarget();
  const { engine } = await setUp();
  const service = target.emulated ? await emulator() : account();
  const stack = new LocalStack(engine, target.stack, service);
  await stack.prepare();
  const environmentFile = stack.writeEnvironmentFile(target.emulated);
  announce("Fleet")(`bringing up examples/fleet (stack ${target.stack})\n`);
  const code = await stack.show("up", "--yes", "--skip-preview", "--suppress-outputs");
  const rows = code === 0 ? describeOutputs(await stack.outputs(), target.emulated) : [];
  printTable([
    ...rows,
    ["", ""],
    ...seeing(target, service),
    ["Change it", "edit examples/fleet, then npm start"],
    ["Use pulumi", `source ${environmentFile}, then pulumi preview, gpufleet cost, …`],
    ["End it", "npm run destroy"],
    ["Read next", code === 0 ? "docs/first-machine.md; docs/errors.md if something fails" : "docs/errors.md"],
  ]);
  return code;
});

async function emulator() {
  const service = await startEmulator();
  announce("Emulator")(`listening on ${service.GPUFLEET_BASE_URL}`);
  return service;
}

function account() {
  const service = accountService();
  announce("Account")(`real machines at ${service.GPUFLEET_BASE_URL}: they cost real money`);
  return service;
}

/** @typedef {[name: string, value: string]} Row */

/**
 * @param {import("./localStack").Target} target
 * @param {import("./localStack").Service} service
 * @returns {Row[]}
 */
function seeing(target, service) {
  return target.emulated ? [["See it", service.GPUFLEET_BASE_URL]] : [];
}

/**
 * @param {Record<string, unknown>} outputs
 * @param {boolean} emulated
 * @returns {Row[]}
 */
function describeOutputs({ costPerHour, knownCostPerHour = costPerHour, unpriced = 0, ...rest }, emulated) {
  const plain = Object.entries(rest).flatMap(([name, value]) => flatten(name, value));
  const rows = emulated ? plain.map(asEmulated) : plain;
  const without = unpriced === 0 ? "" : `, without ${unpriced} of unknown price`;
  if (typeof knownCostPerHour === "number") {
    rows.push([
      "Cost",
      `$${knownCostPerHour.toFixed(2)} per hour${without}${emulated ? " (emulated: no real money)" : ""}`,
    ]);
  }
  return rows;
}

/**
 * One line for each plain value: `ssh.workbench`, or the elements of a list one below the other.
 * @param {string} name
 * @param {unknown} value
 * @returns {Row[]}
 */
function flatten(name, value) {
  if (Array.isArray(value)) return value.flatMap((item, index) => flatten(index === 0 ? name : "", item));
  if (typeof value === "object" && value !== null) {
    return Object.entries(value).flatMap(([key, item]) => flatten(name === "" ? key : `${name}.${key}`, item));
  }
  return [[name, String(value)]];
}

/**
 * Emulated machines greet like an ssh server, and there is no shell behind it.
 * @param {Row} row
 * @returns {Row}
 */
function asEmulated([name, value]) {
  return [name, /^ssh .*@/.test(value) ? `${value}  (emulated: nothing to log in to)` : value];
}

/** @param {readonly Row[]} rows */
function printTable(rows) {
  const width = Math.max(14, ...rows.map(([name]) => name.length + 2));
  process.stdout.write(
    rows
      .map(([name, value]) => `${name.padEnd(width)}${value}`.trimEnd())
      .join("\n")
      .concat("\n"),
  );
}
