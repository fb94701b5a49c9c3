import * as grpc from "@grpc/grpc-js";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import * as status from "@pulumi/pulumi/proto/status_pb";
import { Any } from "google-protobuf/google/protobuf/any_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { type JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb";
import type { Values } from "../../lifecycle";
import { packageVersion } from "../../shared/packageVersion";
import { hasSecret } from "../../shared/secretValue";
import { nativePrefix } from "../../shared/typeToken";
import { sendable, shownMessage } from "../answers";
import { withoutMarks } from "../propertyValue";
import { hiddenSince, withMarksOf } from "../secretMarks";
import { type CheckAnswer, type DetailedChange, type DiffAnswer, InitFailed } from "./calls";
import { Constructs } from "./constructs";
import type { OpenCalls } from "./openCalls";
import type { Plugin } from "./plugin";
import type { PluginSchema } from "./schema";
import { changedSettings } from "./settings";

/** The methods of the provider protocol, on a plugin. */
export function methodsOf(plugin: Plugin, schema: PluginSchema, calls: OpenCalls): grpc.UntypedServiceImplementation {
  const { resources } = plugin;
  const constructs = new Constructs();
  /** Properties as the engine sends them, secrets marked. */
  const markedValuesOf = (struct: Struct | undefined): Values => {
    const values = struct?.toJavaScript() ?? {};
    plugin.secretValues.noteMarked(values);
    return values;
  };
  /** Properties as handlers take them. */
  const valuesOf = (struct: Struct | undefined): Values => withoutMarksIn(markedValuesOf(struct));
  const unary = <Request, Response>(run: (request: Request) => Promise<Response> | Response) =>
    answering(calls, plugin, run);
  return {
    handshake: unary((request: messages.ProviderHandshakeRequest) => {
      plugin.meet({ engineAddress: request.getEngineAddress(), tellsPreview: request.getInvokeWithPreview() });
      // The engine lets only those construct components that accept secrets, and hands outputs to components alone: without them an
      // object with an output in it arrives as one output.
      return new messages.ProviderHandshakeResponse()
        .setAcceptSecrets(true)
        .setAcceptResources(false)
        .setAcceptOutputs(true);
    }),
    attach: unary((request: import("@pulumi/pulumi/proto/plugin_pb").PluginAttach) => {
      plugin.attach(request.getAddress());
      return new Empty();
    }),
    getPluginInfo: unary((_: Empty) => new PluginInfo().setVersion(packageVersion())),
    getSchema: unary((_: messages.GetSchemaRequest) => new messages.GetSchemaResponse().setSchema(schema.read())),
    checkConfig: unary((request: messages.CheckRequest) =>
      checkResponse(plugin.checkConfig({ urn: request.getUrn(), news: markedValuesOf(request.getNews()) })),
    ),
    // A provider is never replaced, and so replaces nothing: what is at another address than before refuses to be touched. During a
    // move from dynamic resources the old inputs are those of another provider altogether.
    diffConfig: unary((request: messages.DiffRequest) => {
      const olds = valuesOf(request.hasOldInputs() ? request.getOldInputs() : request.getOlds());
      const updates = changedSettings(olds, valuesOf(request.getNews()));
      return diffResponse({ changes: updates.length > 0, detailed: new Map(), replaces: [], updates });
    }),
    configure: unary((request: messages.ConfigureRequest) => {
      plugin.configure(markedValuesOf(request.getArgs()), request.getUrn() ?? "");
      return new messages.ConfigureResponse()
        .setSupportspreview(true)
        .setAcceptsecrets(true)
        .setAcceptresources(false)
        .setAcceptoutputs(true);
    }),
    invoke: unary(async (request: messages.InvokeRequest) => {
      const name = request.getTok().replace(nativePrefix, "");
      const result = await plugin.invoke(name, valuesOf(request.getArgs()), request.getPreview());
      return new messages.InvokeResponse().setReturn(structOf(sendable({ ...result }, {}, plugin.secrets())));
    }),
    check: unary(async (request: messages.CheckRequest) => {
      const marked = markedValuesOf(request.getNews());
      const { inputs, failures } = await resources.check({
        urn: request.getUrn(),
        olds: valuesOf(request.getOlds()),
        news: valuesOf(request.getNews()),
        randomSeed: request.getRandomseed_asU8(),
        isSecret: (property) => hasSecret(marked[property]),
      });
      // What the program no longer says, and exists, is carried over.
      const former = markedValuesOf(request.getOlds());
      return checkResponse({ inputs: withMarksOf({ ...former, ...marked }, inputs), failures });
    }),
    diff: unary(async (request: messages.DiffRequest) => {
      const diff = await resources.diff({
        id: request.getId(),
        urn: request.getUrn(),
        olds: valuesOf(request.getOlds()),
        oldInputs: request.hasOldInputs() ? valuesOf(request.getOldInputs()) : undefined,
        news: valuesOf(request.getNews()),
      });
      const hidden = hiddenSince(markedValuesOf(request.getOlds()), markedValuesOf(request.getNews()));
      return diffResponse(writingAnew(diff, hidden));
    }),
    create: unary(async (request: messages.CreateRequest) => {
      const { id, properties, refreshBeforeUpdate } = await keepingMarks(
        markedValuesOf(request.getProperties()),
        resources.create({
          urn: request.getUrn(),
          properties: valuesOf(request.getProperties()),
          timeout: request.getTimeout(),
          preview: request.getPreview(),
        }),
      );
      return new messages.CreateResponse()
        .setId(id)
        .setProperties(structOf(properties))
        .setRefreshBeforeUpdate(refreshBeforeUpdate);
    }),
    read: unary(async (request: messages.ReadRequest) => {
      const found = await resources.read({
        id: request.getId(),
        urn: request.getUrn(),
        properties: valuesOf(request.getProperties()),
        inputs: request.hasInputs() ? valuesOf(request.getInputs()) : undefined,
      });
      // An empty answer is how the engine is told that it is gone.
      if (!found) return new messages.ReadResponse();
      return new messages.ReadResponse()
        .setId(found.id)
        .setProperties(structOf(withMarksOf(markedValuesOf(request.getProperties()), found.properties)))
        .setInputs(structOf(withMarksOf(markedValuesOf(request.getInputs()), found.inputs)))
        .setRefreshBeforeUpdate(found.refreshBeforeUpdate);
    }),
    update: unary(async (request: messages.UpdateRequest) => {
      const { properties, refreshBeforeUpdate } = await keepingMarks(
        markedValuesOf(request.getNews()),
        resources.update({
          id: request.getId(),
          urn: request.getUrn(),
          olds: valuesOf(request.getOlds()),
          oldInputs: request.hasOldInputs() ? valuesOf(request.getOldInputs()) : undefined,
          news: valuesOf(request.getNews()),
          timeout: request.getTimeout(),
          preview: request.getPreview(),
        }),
      );
      return new messages.UpdateResponse()
        .setProperties(structOf(properties))
        .setRefreshBeforeUpdate(refreshBeforeUpdate);
    }),
    delete: unary(async (request: messages.DeleteRequest) => {
      await resources.delete({
        id: request.getId(),
        urn: request.getUrn(),
        properties: valuesOf(request.getProperties()),
        inputs: valuesOf(request.getOldInputs()),
        timeout: request.getTimeout(),
      });
      return new Empty();
    }),
    construct: constructs.noting(plugin.construct),
    cancel: unary((_: Empty) => {
      plugin.stop("cancelled");
      const details = "stopped, because the run failed elsewhere or was cancelled";
      constructs.dismiss({ code: grpc.status.CANCELLED, details });
      return new Empty();
    }),
  };
}

/** A call whose failure is told in words, and with the id of what exists all the same. */
function answering<Request, Response>(
  calls: OpenCalls,
  plugin: Plugin,
  run: (request: Request) => Promise<Response> | Response,
): grpc.handleUnaryCall<Request, Response> {
  return ({ request }, callback) => {
    const answer = calls.open((error) => callback(asServiceError(error, plugin)));
    Promise.resolve()
      .then(() => run(request))
      .then(
        (response) => answer(() => callback(null, response)),
        (error: unknown) => answer(() => callback(asServiceError(error, plugin))),
      );
  };
}

function asServiceError(error: unknown, plugin: Plugin): Partial<grpc.StatusObject> {
  const details = plugin.secretValues.redact(shownMessage(error, plugin.secrets()));
  const metadata = new grpc.Metadata();
  if (error instanceof InitFailed) {
    const failed = new messages.ErrorResourceInitFailed()
      .setId(error.id)
      .setProperties(structOf(error.properties))
      .setReasonsList([details])
      .setRefreshBeforeUpdate(error.refreshBeforeUpdate);
    const packed = new Any();
    packed.pack(failed.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");

    const whole = new status.Status();
    whole.setCode(grpc.status.UNKNOWN);
    whole.setMessage(details);
    whole.addDetails(packed);
    metadata.add("grpc-status-details-bin", Buffer.from(whole.serializeBinary()));
  }
  return { code: grpc.status.UNKNOWN, details, metadata };
}

function checkResponse({ inputs, failures }: CheckAnswer): messages.CheckResponse {
  const told = failures.map(({ property, reason }) =>
    new messages.CheckFailure().setProperty(property).setReason(reason),
  );
  return new messages.CheckResponse().setInputs(structOf(inputs)).setFailuresList(told);
}

/** The same where these are to be written anew, although their values are as they were. */
function writingAnew(diff: DiffAnswer, keys: readonly string[]): DiffAnswer {
  const { detailed, replaces, updates } = diff;
  const others = keys.filter((key) => !replaces.includes(key) && !updates.includes(key));
  if (others.length === 0) return diff;
  const entries = others.map((key) => [key, { change: "update", replaces: false, isInput: true }] as const);
  return {
    replaces,
    changes: true,
    detailed: new Map([...detailed, ...entries]),
    updates: [...updates, ...others],
  };
}

function diffResponse({ changes, detailed, replaces, updates }: DiffAnswer): messages.DiffResponse {
  const { DIFF_NONE, DIFF_SOME } = messages.DiffResponse.DiffChanges;
  const response = new messages.DiffResponse()
    .setChanges(changes ? DIFF_SOME : DIFF_NONE)
    .setReplacesList(replaces)
    .setDiffsList([...replaces, ...updates])
    .setDeletebeforereplace(false)
    .setHasdetaileddiff(detailed.size > 0);
  for (const [path, change] of detailed) {
    response
      .getDetaileddiffMap()
      .set(path, new messages.PropertyDiff().setKind(kindOf(change)).setInputdiff(change.isInput));
  }
  return response;
}

function kindOf({ change, replaces }: DetailedChange): messages.PropertyDiff.Kind {
  const { Kind } = messages.PropertyDiff;
  const kinds = {
    add: [Kind.ADD, Kind.ADD_REPLACE],
    update: [Kind.UPDATE, Kind.UPDATE_REPLACE],
    delete: [Kind.DELETE, Kind.DELETE_REPLACE],
  } as const;
  return kinds[change][replaces ? 1 : 0];
}

/** The answer, or what exists although it failed, with what was given as a secret marked as one. */
async function keepingMarks<Answer extends { properties: Values }>(
  marked: Values,
  answer: Promise<Answer>,
): Promise<Answer> {
  try {
    const answered = await answer;
    return { ...answered, properties: withMarksOf(marked, answered.properties) };
  } catch (error) {
    if (!(error instanceof InitFailed)) throw error;
    const { message, id, properties, refreshBeforeUpdate } = error;
    throw new InitFailed(message, id, withMarksOf(marked, properties), refreshBeforeUpdate);
  }
}

function withoutMarksIn(values: Values): Values {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, withoutMarks(value)]));
}

function structOf(values: Values): Struct {
  // Only what can be in a struct is left by `plain`.
  return Struct.fromJavaScript(values as Record<string, JavaScriptValue>);
}
