import { createRequire } from "node:module";
import { setFlagsFromString } from "node:v8";
import type { Handler } from "../../lifecycle";
import { handlers } from "../../resources";
import { type ReadConfig, readSecrets } from "../configuration";
import { type EngineProtocol, linkEngine } from "../engineLink";
import { exportedState } from "../exportedState";
import { configuredRuntime } from "../runtime";
import { type HostCalls, type HostedRuntime, hosted } from "./host";

/** One per process: what one resource learns, the others use. */
let runtime = processRuntime(() => undefined);
let configured: unknown;
const calls: HostCalls = { open: 0, hasFailed: false };

/** What the stub in the state loads: a handler as Pulumi's dynamic-provider host calls it. */
export function handler(type: string) {
  keepShortLivedYoung();
  leaveWithEngine();
  return {
    // Synchronous and infallible: the host does not await it for calls that arrive meanwhile.
    configure: async ({ config }: { config: { get(key: string): string | undefined } }) => {
      if (configured !== undefined) return;
      configured = config;
      runtime = processRuntime((key) => config.get(`gpufleet:${key}`));
    },
    ...hosted(getHandler(type), () => runtime, calls),
  };
}

function getHandler(type: string): Handler {
  const found = handlers.get(type);
  if (!found)
    throw new Error(`pulumi-gpufleet has no resource type ${type}. It has ${[...handlers.keys()].join(", ")}`);
  return found;
}

function processRuntime(config: ReadConfig): HostedRuntime {
  const secrets = () => readSecrets(config, process.env);
  return {
    runtime: configuredRuntime(config, {
      engine: linkEngine(process.argv[2], secrets, loadProtocol),
      state: exportedState,
    }),
    secrets,
  };
}

/** The protocol of the very SDK that runs this process. */
function loadProtocol(): EngineProtocol {
  const pulumi = createRequire(require.resolve("@pulumi/pulumi"));
  return {
    grpc: pulumi("@grpc/grpc-js"),
    services: pulumi("@pulumi/pulumi/proto/engine_grpc_pb"),
    messages: pulumi("@pulumi/pulumi/proto/engine_pb"),
  };
}

/**
 * Keeps V8 from guessing that what the host makes for every call is long-lived. It comes to think so when calls wait, and
 * then collects late what each of them throws away: 27 MB in a refresh of 1,000 rentals.
 */
function keepShortLivedYoung(): void {
  setFlagsFromString("--no-allocation-site-pretenuring");
}

const checkEvery = 3000;
let leaving: NodeJS.Timeout | undefined;

/** A killed engine leaves this process running, for hours if need be. It goes when the engine is gone and nothing is under way. */
function leaveWithEngine(): void {
  if (leaving || process.argv[2] === undefined) return;
  let misses = 0;
  leaving = setInterval(async () => {
    if (calls.open > 0) return;
    misses = (await runtime.runtime.engine.alive()) ? 0 : misses + 1;
    if (misses > 1 && calls.open === 0) process.exit(0);
  }, checkEvery);
  leaving.unref();
}
