import { cleanText } from "../client";
import type { EngineLink } from "../lifecycle";
import { isDestroyOfAll, isImportCommand, isRefreshAtOnce, scopeOfRun } from "./engineCommand";

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

/**
 * The engine at this address: the host passes it on the command line of the provider process. What is shown may hold words of
 * the service, and must not hold the secrets.
 */
export function linkEngine(
  address: string | undefined,
  secrets: () => readonly string[],
  load: () => EngineProtocol,
): EngineLink {
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
    ask: async () => (address === undefined ? "answers" : open(address).ask()),
    scope: () => scopeOfRun(),
    endsAll: () => isDestroyOfAll(),
    imports: () => isImportCommand(),
    refreshesAtOnce: () => isRefreshAtOnce(),
    status: (urn, text) => send(urn, text, "INFO", true),
    info: (urn, text) => send(urn, text, "INFO", false),
    warn: (urn, text) => send(urn, text, "WARNING", false),
  };
}

type Severity = "INFO" | "WARNING";

interface Engine extends Pick<EngineLink, "ask"> {
  log(urn: string, message: string, severity: Severity, ephemeral: boolean): void;
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
          // Whatever else it says: what speaks this protocol there is an engine. The port of a killed one may be another's by now.
          if (error === null || error.code === grpc.status.UNIMPLEMENTED) resolve("answers");
          else resolve(error.code === grpc.status.DEADLINE_EXCEEDED ? "silent" : "gone");
        });
      }),
  };
}
