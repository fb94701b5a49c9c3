import { messageOf } from "../../lifecycle";
import { OpenCalls } from "./openCalls";
import { keepShortLivedYoung, Plugin, type PluginParts } from "./plugin";
import { serve } from "./server";

/** For calls to end by themselves once everything is told to stop. */
const grace = 20_000;
const checkEvery = 3000;

/** Runs the plugin in this process, as the engine starts it: its address is the last argument. */
export async function runPlugin(parts: PluginParts, args: readonly string[] = process.argv.slice(2)): Promise<void> {
  keepShortLivedYoung();
  const calls = new OpenCalls();
  const plugin = new Plugin(parts, args.filter((arg) => !arg.startsWith("-")).at(-1));
  surviveErrors(plugin, calls);
  const { port } = await serve(plugin, parts.schema, calls);
  // The engine reads the port from the first line, so nothing else is ever written there.
  process.stdout.write(`${port}\n`);
  leaveWithEngine(plugin, calls);
}

/**
 * An error that nobody caught must not end the process while the engine waits for an answer: of a create it would never learn the
 * id. So everything is told to stop, each call answers with what it knows, and what does not is answered for.
 */
function surviveErrors(plugin: Plugin, calls: OpenCalls): void {
  const survive = (error: unknown) => {
    const reason = `the provider has failed: ${messageOf(error)}`;
    process.stderr.write(`${reason}\n`);
    plugin.stop(reason);
    setTimeout(() => calls.fail(new Error(reason)), grace).unref();
  };
  process.on("uncaughtException", survive);
  process.on("unhandledRejection", survive);
}

/** A killed engine leaves this process running. It goes when the engine is gone and nothing is under way. */
function leaveWithEngine(plugin: Plugin, calls: OpenCalls): void {
  let misses = 0;
  setInterval(async () => {
    if (calls.count > 0) return;
    misses = (await plugin.isEngineAlive().catch(() => false)) ? 0 : misses + 1;
    if (misses > 1 && calls.count === 0) process.exit(0);
  }, checkEvery).unref();
}
