import { messageOf } from "../../lifecycle";
import { keepShortLivedYoung, leaveWithEngine } from "../ownProcess";
import { OpenCalls } from "./openCalls";
import { Plugin, type PluginParts } from "./plugin";
import { serve } from "./server";

/** For calls to end by themselves once everything is told to stop. */
const grace = 20_000;

/** Runs the plugin in this process, as the engine starts it: its address is the last argument. */
export async function runPlugin(parts: PluginParts, args: readonly string[] = process.argv.slice(2)): Promise<void> {
  keepShortLivedYoung();
  const calls = new OpenCalls();
  const plugin = new Plugin(parts, args.filter((arg) => !arg.startsWith("-")).at(-1));
  surviveErrors(plugin, calls);
  const { port } = await serve(plugin, parts.schema, calls);
  // The engine reads the port from the first line, so nothing else is ever written there.
  process.stdout.write(`${port}\n`);
  leaveWithEngine(
    () => plugin.isEngineAlive(),
    () => calls.count,
  );
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
