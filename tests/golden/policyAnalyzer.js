/**
 * A policy pack for the golden previews, spoken to by the real engine: the npm package that usually runs policies is more
 * than is needed to have three verdicts.
 */
const grpc = require("@grpc/grpc-js");
const services = require("@pulumi/pulumi/proto/analyzer_grpc_pb");
const messages = require("@pulumi/pulumi/proto/analyzer_pb");
const plugin = require("@pulumi/pulumi/proto/plugin_pb");
const { Empty } = require("google-protobuf/google/protobuf/empty_pb");

const PACK = "gpu-rules";
const VERSION = "1.2.0";

/**
 * @param {string} policy
 * @param {string} message
 * @param {number} level
 */
function diagnose(policy, message, level) {
  const diagnostic = new messages.AnalyzeDiagnostic();
  diagnostic.setPolicyname(policy);
  diagnostic.setPolicypackname(PACK);
  diagnostic.setPolicypackversion(VERSION);
  diagnostic.setMessage(message);
  diagnostic.setEnforcementlevel(level);
  return diagnostic;
}

const { ADVISORY, MANDATORY } = messages.EnforcementLevel;

/**
 * @template Request, Response
 * @typedef {import("@grpc/grpc-js").handleUnaryCall<Request, Response>} Handle
 */

/** @type {Handle<import("@pulumi/pulumi/proto/analyzer_pb").AnalyzeRequest, import("@pulumi/pulumi/proto/analyzer_pb").AnalyzeResponse>} */
const analyze = (call, answer) => {
  const response = new messages.AnalyzeResponse();
  const isRental = call.request.getType().endsWith(":BareMetalRental");
  const properties = call.request.getProperties()?.toJavaScript() ?? {};
  if (isRental && properties.expiresAt === undefined) {
    const message = "Set `expiresAt`, so that <nobody> | pays for a machine that @everyone forgot.";
    response.addDiagnostics(diagnose("must-expire", message, ADVISORY));
  }
  if (isRental && properties.gpuType === "h200") {
    response.addDiagnostics(diagnose("no-h200", "h200 is reserved for another team.", MANDATORY));
  }
  answer(null, response);
};

/** @type {Handle<unknown, import("@pulumi/pulumi/proto/analyzer_pb").AnalyzerInfo>} */
const getAnalyzerInfo = (_call, answer) => {
  const info = new messages.AnalyzerInfo();
  info.setName(PACK);
  info.setDisplayname(PACK);
  info.setVersion(VERSION);
  info.setSupportsconfig(false);
  answer(null, info);
};

/** @type {Handle<unknown, import("@pulumi/pulumi/proto/plugin_pb").PluginInfo>} */
const getPluginInfo = (_call, answer) => {
  const info = new plugin.PluginInfo();
  info.setVersion(VERSION);
  answer(null, info);
};

/**
 * Answers with an empty message.
 * @template Message
 * @param {new () => Message} make
 * @returns {Handle<unknown, Message>}
 */
const nothing = (make) => (_call, answer) => answer(null, new make());

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
