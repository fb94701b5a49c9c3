import { cleanText } from "../client";
import type { EngineLink } from "../lifecycle";
import { scopeOfRun } from "./engineCommand";

/** The parts of Pulumi's protocol that it takes to talk to the engine. */
export interface EngineProtocol {
  grpc: typeof import("@grpc/grpc-js");
  services: typeof import("@pulumi/pulumi/proto/engine_grpc_pb");
  messages: typeof import("@pulumi/pulumi/proto/engine_pb");
}

/** For an engine to answer that it is there. */
const answerTimeout = 3000;

/** Longest line shown; more than this helps nobody. */
const longestLine = 2000;

/** The engine that has started this process. */
export interface ProcessLink extends EngineLink {
  /** Whether it certainly lives no more. One that is only slow to answer, on a busy machine, is not gone. */
  isGone(): Promise<boolean>;
}

/**
 * The engine at this address: the host passes it on the command line of the provider process. What is shown may hold words of
 * the service, and must not hold the secrets.
 */
export function linkEngine(
  address: string | undefined,
  secrets: () => readonly string[],
  load: () => EngineProtocol,
): ProcessLink {
  let engine: Engine | undefined;
  const open = (at: string) => {
    engine ??= openEngine(at, load());
    return engine;
  };
  const send = (urn: string, message: string, severity: Severity, ephemeral: boolean) => {
    if (address === undefined) return;
    const text = cleanText(message, { secrets: secrets(), max: longestLine, hasOwnWords: true });
    open(address).log(urn, text, severity, ephemeral);
  };
  return {
    alive: async () => address === undefined || (await open(address).ask()) === "answers",
    isGone: async () => address !== undefined && (await open(address).ask()) === "gone",
    scope: () => scopeOfRun(),
    status: (urn, text) => send(urn, text, "INFO", true),
    info: (urn, text) => send(urn, text, "INFO", false),
    warn: (urn, text) => send(urn, text, "WARNING", false),
  };
}

type Severity = "INFO" | "WARNING";

interface Engine {
  log(urn: string, message: string, severity: Severity, ephemeral: boolean): void;
  /** Whether an engine answers at the address. A killed one leaves this process running, and its port may be another's by then. */
  ask(): Promise<"answers" | "silent" | "gone">;
}

/** Loaded when there is something to show or to ask: a process that only diffs needs none of it. */
function openEngine(address: string, { grpc, services, messages }: EngineProtocol): Engine {
  const { GetRootResourceRequest, LogRequest, LogSeverity } = messages;
  // The engine is on this machine. Through the proxy of the environment nobody would answer, as if it were gone.
  const client = new services.EngineClient(address, grpc.credentials.createInsecure(), { "grpc.enable_http_proxy": 0 });
  return {
    log: (urn, message, severity, ephemeral) => {
      const request = new LogRequest();
      request.setSeverity(LogSeverity[severity]);
      request.setMessage(message);
      request.setUrn(urn);
      request.setEphemeral(ephemeral);
      // The display is a courtesy: an engine that no longer listens must not fail the operation.
      client.log(request, () => undefined);
    },
    ask: () =>
      new Promise((resolve) => {
        const deadline = Date.now() + answerTimeout;
        client.getRootResource(new GetRootResourceRequest(), new grpc.Metadata(), { deadline }, (error) => {
          // Whatever else it says: what speaks this protocol there is an engine.
          if (error === null || error.code === grpc.status.UNIMPLEMENTED) resolve("answers");
          else resolve(error.code === grpc.status.DEADLINE_EXCEEDED ? "silent" : "gone");
        });
      }),
  };
}
