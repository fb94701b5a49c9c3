import { createRequire } from "node:module";
import type { Handler } from "../../lifecycle";
import { handlers } from "../../resources";
import { type ReadConfig, readSecrets } from "../configuration";
import { type EngineProtocol, linkEngine } from "../engineLink";
import { exportedState } from "../exportedState";
import { leaveWithEngine, spareMemory } from "../ownProcess";
import { configuredRuntime } from "../runtime";
import { type HostCalls, type HostedRuntime, hosted } from "./host";

/** One per process: what one resource learns, the others use. */
let runtime = processRuntime(() => undefined);
let configured: unknown;
const calls: HostCalls = { open: 0, hasFailed: false };

/** What the stub in the state loads: a handler as Pulumi's dynamic-provider host calls it. */
export function handler(type: string) {
  spareMemory();
  leaveOnceWithEngine();
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

let isLeaving = false;

function leaveOnceWithEngine(): void {
  if (isLeaving || process.argv[2] === undefined) return;
  isLeaving = true;
  leaveWithEngine(
    () => runtime.runtime.engine.alive(),
    () => calls.open,
  );
}
