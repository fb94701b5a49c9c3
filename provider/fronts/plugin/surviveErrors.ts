import { defaultLimits } from "../../client";
import { messageOf } from "../../shared/messageOf";
import type { OpenCalls } from "./openCalls";
import type { Plugin } from "./plugin";

/** A request that is under way when everything is told to stop has its answer by then, or never will: and so has the call that made it. */
const grace = defaultLimits.total + 20_000;

/**
 * An error that nobody caught must not end the process while the engine waits for an answer: of a create it would never learn the
 * id. So everything is told to stop, each call answers with what it knows, and what does not is answered for.
 */
export function surviveErrors(plugin: Plugin, calls: OpenCalls): void {
  const survive = (error: unknown) => {
    const reason = `the provider has failed: ${messageOf(error)}`;
    process.stderr.write(`${reason}\n`);
    plugin.stop(reason);
    const answer = `${reason}. Whether anything was created is not known: run gpufleet recover before the next pulumi up`;
    setTimeout(() => calls.fail(new Error(answer)), grace).unref();
  };
  process.on("uncaughtException", survive);
  process.on("unhandledRejection", survive);
}
