import { createRequire } from "node:module";
import { createTransport, defaultLimits } from "../../client";
import { type EngineLink, type Handler, isDefaultOf } from "../../lifecycle";
import { handlers } from "../../resources";
import { dynamicProviderType } from "../../shared/typeToken";
import { type ReadConfig, readSecrets } from "../configuration";
import { Effects } from "../effects";
import { type EngineProtocol, linkEngine } from "../engineLink";
import { exportedState } from "../exportedState";
import { leaveWithEngine, spareMemory } from "../ownProcess";
import { configuredRuntime } from "../runtime";
import { type HostedRuntime, hosted, newCalls } from "./host";

const calls = newCalls();
const effects = new Effects();
/** One per process: what one resource learns, the others use. */
let runtime = processRuntime(() => undefined);
let configured: unknown;

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

function processRuntime(config: ReadConfig): HostedRuntime & { link: EngineLink } {
  const secrets = () => readSecrets(config, process.env);
  const link = linkEngine(process.argv[2], secrets, loadProtocol);
  return {
    runtime: configuredRuntime(config, {
      engine: calls.secretValues.engine(link),
      state: exportedState,
      isDefault: (urn) => isDefaultOf(urn, dynamicProviderType),
      transport: effects.transport(() => createTransport(defaultLimits).transport),
    }),
    secrets,
    link,
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
  const isGone = async () => (await runtime.link.ask()) === "gone";
  leaveWithEngine(isGone, { openCalls: () => calls.open, effects: () => effects.count });
}
