import { leaveWithEngine, spareMemory } from "../ownProcess";
import { OpenCalls } from "./openCalls";
import type { PluginParts } from "./plugin";
import { serve } from "./server";

/** Runs the plugin in this process, as the engine starts it: its address is the last argument. */
export async function runPlugin(parts: PluginParts, args: readonly string[] = process.argv.slice(2)): Promise<void> {
  spareMemory();
  const calls = new OpenCalls();
  const engineAddress = args.filter((arg) => !arg.startsWith("-")).at(-1);
  const provider = onlyOnce(() => loadProvider(parts, engineAddress, calls));
  const { port } = await serve(() => provider().methods);
  // The engine reads the port from the first line, so nothing else is ever written there.
  process.stdout.write(`${port}\n`);
  // What the provider consists of is loaded while the engine connects.
  setImmediate(() => {
    const { plugin } = provider();
    leaveWithEngine(() => plugin.isEngineGone(), { openCalls: () => calls.count, effects: () => plugin.effects.count });
  });
}

function loadProvider(parts: PluginParts, engineAddress: string | undefined, calls: OpenCalls) {
  const { Plugin }: typeof import("./plugin") = require("./plugin");
  const { methodsOf }: typeof import("./methods") = require("./methods");
  const { surviveErrors }: typeof import("./surviveErrors") = require("./surviveErrors");
  const plugin = new Plugin(parts, engineAddress);
  surviveErrors(plugin, calls);
  return { plugin, methods: methodsOf(plugin, parts.schema, calls) };
}

function onlyOnce<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
