/** `npm run destroy`: ends the fleet of `npm start`, shows that nothing is billing any more, and stops the emulator. */
const { ToolError, main } = require("./command");
const { askState, startEmulator, stopEmulator } = require("./localEmulator");
const { LocalStack, accountService, chooseTarget, countResources } = require("./localStack");
const { announce } = require("./progress");
const { setUp } = require("./setUp");

main(async () => {
  const target = chooseTarget();
  if (countResources(target.stack) === undefined) {
    process.stdout.write("Nothing to destroy: no fleet was started here. npm start brings one up.\n");
    return 0;
  }
  const { engine } = await setUp();
  const service = target.emulated ? await startEmulator() : accountService();
  const stack = new LocalStack(engine, target.stack, service);
  await stack.prepare();
  announce("Fleet")(`destroying (stack ${target.stack})\n`);
  const code = await stack.show("destroy", "--yes", "--skip-preview", "--suppress-outputs");
  if (code !== 0) return code;
  if (target.emulated) {
    process.stdout.write(`${await proveNothingBills(service.GPUFLEET_BASE_URL)}\n`);
    await stopEmulator();
  }
  if (target.emulated && countResources("live")) {
    process.stdout.write(
      "A fleet on a real account was started here, too. Set GPUFLEET_BASE_URL and GPUFLEET_API_KEY to destroy it.\n",
    );
  }
  return 0;
});

/**
 * Asks the service, not the state: what Pulumi has forgotten would not be in the state.
 * @param {string} url
 */
async function proveNothingBills(url) {
  const objects = await askState(url);
  if (!objects)
    throw new ToolError(`The emulator at ${url} does not answer: whether anything is still billing is unknown.`);
  const billing = objects.filter((object) => object.billing);
  if (billing.length > 0) {
    const lines = billing.map(({ kind, id, label, status }) => `  ${kind} ${id} ${label ?? ""} ${status}`);
    throw new ToolError(`Destroyed, but the emulator still bills for:\n${lines.join("\n")}`);
  }
  return `Nothing is billing: all ${objects.length} objects created on the emulator have ended. The emulator is stopped.`;
}
