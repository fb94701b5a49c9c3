/** `npm start`: sets everything up and brings up the default fleet, on the emulator unless an account is configured. */
const { main } = require("./command");
const { startEmulator } = require("./localEmulator");
const { LocalStack, accountService, chooseTarget } = require("./localStack");
const { announce } = require("./progress");
const { setUp } = require("./setup");

const LONGEST_VALUE = 100;

main(async () => {
  const target = chooseTarget();
  const { engine } = await setUp();
  const service = target.emulated ? await emulator() : account();
  const stack = new LocalStack(engine, target.stack, service);
  await stack.prepare();
  const environmentFile = stack.writeEnvironmentFile(target.emulated);
  announce("Fleet")(`bringing up examples/fleet (stack ${target.stack})\n`);
  const code = await stack.show("up", "--yes", "--skip-preview", "--suppress-outputs");
  if (code === 0) describe(await stack.outputs(), target.emulated);

  const help = [
    ...(target.emulated ? [["See it", service.GPUFLEET_BASE_URL]] : []),
    ["Change it", "edit examples/fleet, then npm start"],
    ["Use pulumi", `source ${environmentFile}, then pulumi preview, pulumi stack, …`],
    ["End it", "npm run destroy"],
  ];
  process.stdout.write(`\n${help.map(([what, how]) => `${what?.padEnd(14)}${how}\n`).join("")}`);
  return code;
});

async function emulator() {
  const service = await startEmulator();
  announce("Emulator")(`listening on ${service.GPUFLEET_BASE_URL}`);
  return service;
}

function account() {
  const service = accountService();
  announce("Account")(`real machines at ${service.GPUFLEET_BASE_URL}, which cost real money`);
  return service;
}

/**
 * @param {Record<string, unknown>} outputs
 * @param {boolean} emulated
 */
function describe(outputs, emulated) {
  const { costPerHour, ...rest } = outputs;
  const width = Math.max(14, ...Object.keys(rest).map((name) => name.length + 2));
  for (const [name, value] of Object.entries(rest)) {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    const shown = text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE - 1)}…` : text;
    process.stdout.write(`${name.padEnd(width)}${shown}\n`);
  }
  if (typeof costPerHour === "number") {
    const note = emulated ? " (emulated: no real money)" : "";
    process.stdout.write(`${"Cost".padEnd(width)}$${costPerHour.toFixed(2)} per hour${note}\n`);
  }
}
