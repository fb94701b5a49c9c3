/**
 * A policy pack for the golden previews, spoken to by the real engine: the npm package that usually runs policies is more
 * than is needed to have three verdicts. `node --require tools/bootstrap/typescript.js` runs it.
 */
import * as grpc from "@grpc/grpc-js";
import * as services from "@pulumi/pulumi/proto/analyzer_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/analyzer_pb";
import * as plugin from "@pulumi/pulumi/proto/plugin_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";

const PACK = "gpu-rules";
const VERSION = "1.2.0";

const { ADVISORY, MANDATORY } = messages.EnforcementLevel;

function diagnose(policy: string, message: string, level: messages.EnforcementLevel): messages.AnalyzeDiagnostic {
  const diagnostic = new messages.AnalyzeDiagnostic();
  diagnostic.setPolicyname(policy);
  diagnostic.setPolicypackname(PACK);
  diagnostic.setPolicypackversion(VERSION);
  diagnostic.setMessage(message);
  diagnostic.setEnforcementlevel(level);
  return diagnostic;
}

const analyze: grpc.handleUnaryCall<messages.AnalyzeRequest, messages.AnalyzeResponse> = (call, answer) => {
  const response = new messages.AnalyzeResponse();
  const isRental = call.request.getType().endsWith(":BareMetalRental");
  const properties = call.request.getProperties()?.toJavaScript() ?? {};
  if (isRental && properties["expiresAt"] === undefined) {
    const message = "Set `expiresAt`, so that <nobody> | pays for a machine that @everyone forgot.";
    response.addDiagnostics(diagnose("must-expire", message, ADVISORY));
  }
  if (isRental && properties["gpuType"] === "h200") {
    response.addDiagnostics(diagnose("no-h200", "h200 is reserved for another team.", MANDATORY));
  }
  answer(null, response);
};

const getAnalyzerInfo: grpc.handleUnaryCall<unknown, messages.AnalyzerInfo> = (_call, answer) => {
  const info = new messages.AnalyzerInfo();
  info.setName(PACK);
  info.setDisplayname(PACK);
  info.setVersion(VERSION);
  info.setSupportsconfig(false);
  answer(null, info);
};

const getPluginInfo: grpc.handleUnaryCall<unknown, plugin.PluginInfo> = (_call, answer) => {
  const info = new plugin.PluginInfo();
  info.setVersion(VERSION);
  answer(null, info);
};

/** Answers with an empty message. */
function nothing<Message>(make: new () => Message): grpc.handleUnaryCall<unknown, Message> {
  return (_call, answer) => answer(null, new make());
}

const server = new grpc.Server();
server.addService(services.AnalyzerService, {
  analyze,
  getAnalyzerInfo,
  getPluginInfo,
  analyzeStack: nothing(messages.AnalyzeResponse),
  remediate: nothing(messages.RemediateResponse),
  configure: nothing(Empty),
});
server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  process.stdout.write(`${port}\n`);
});
