import { createRequire } from "node:module";
import { connect } from "node:net";
import { cleanText } from "../../client";
import type { EngineLink } from "../../lifecycle";

const connectTimeout = 3000;

/** Longest line shown; more than this helps nobody. */
const longestLine = 2000;

/**
 * The engine at this address: the host passes it on the command line of the provider process. What is shown may hold words of
 * the service, and must not hold the secrets.
 */
export function linkEngine(address: string | undefined, secrets: () => readonly string[]): EngineLink {
  let log: EngineLog | undefined;
  const send = (urn: string, message: string, severity: Severity, ephemeral: boolean) => {
    if (address === undefined) return;
    log ??= openLog(address);
    log(urn, cleanText(message, { secrets: secrets(), max: longestLine }), severity, ephemeral);
  };
  return {
    alive: async () => address === undefined || canConnect(address),
    status: (urn, text) => send(urn, text, "INFO", true),
    info: (urn, text) => send(urn, text, "INFO", false),
    warn: (urn, text) => send(urn, text, "WARNING", false),
  };
}

/** A killed engine leaves the provider process running; its port no longer answers then. */
function canConnect(address: string): Promise<boolean> {
  const port = Number(address.slice(address.lastIndexOf(":") + 1));
  const host = address.slice(0, address.lastIndexOf(":")) || "127.0.0.1";
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: connectTimeout });
    const settle = (alive: boolean) => {
      socket.destroy();
      resolve(alive);
    };
    socket.once("connect", () => settle(true));
    socket.once("error", () => settle(false));
    socket.once("timeout", () => settle(false));
  });
}

type Severity = "INFO" | "WARNING";
type EngineLog = (urn: string, message: string, severity: Severity, ephemeral: boolean) => void;

/** Loaded when there is something to show: a process that only diffs needs none of it. */
function openLog(address: string): EngineLog {
  const pulumi = createRequire(require.resolve("@pulumi/pulumi"));
  const grpc: typeof import("@grpc/grpc-js") = pulumi("@grpc/grpc-js");
  const { EngineClient } = pulumi("@pulumi/pulumi/proto/engine_grpc_pb");
  const { LogRequest, LogSeverity } = pulumi("@pulumi/pulumi/proto/engine_pb");
  const client = new EngineClient(address, grpc.credentials.createInsecure());
  return (urn, message, severity, ephemeral) => {
    const request = new LogRequest();
    request.setSeverity(LogSeverity[severity]);
    request.setMessage(message);
    request.setUrn(urn);
    request.setEphemeral(ephemeral);
    // The display is a courtesy: an engine that no longer listens must not fail the operation.
    client.log(request, () => undefined);
  };
}
