/** Pulumi's own dynamic-provider host, driven over its protocol without the engine: the host as it really is. */
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import * as grpc from "@grpc/grpc-js";
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb";
import type { LogRequest } from "@pulumi/pulumi/proto/engine_pb";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { type JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb";
import { root } from "../../../tools/bootstrap/paths";

export type Properties = Record<string, JavaScriptValue>;

/** An error, with what the engine is to save along with it where something was made. */
export class HostError extends Error {
  constructor(
    message: string,
    readonly saved: { id: string; properties: Properties; reasons: string[] } | undefined,
  ) {
    super(message);
  }
}

export interface LogLine {
  urn: string;
  message: string;
  ephemeral: boolean;
}

/** What the engine is to a provider process: a port that answers, and a log. */
class Engine {
  readonly lines: LogLine[] = [];
  readonly #server = new grpc.Server();

  async listen(): Promise<string> {
    this.#server.addService(EngineService, {
      log: (call: grpc.ServerUnaryCall<LogRequest, Empty>, done: grpc.sendUnaryData<Empty>) => {
        const { request } = call;
        this.lines.push({ urn: request.getUrn(), message: request.getMessage(), ephemeral: request.getEphemeral() });
        done(null, new Empty());
      },
    });
    const port = await new Promise<number>((resolve, reject) => {
      this.#server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      );
    });
    return `127.0.0.1:${port}`;
  }

  /** As a kill -9 leaves it. */
  kill(): void {
    this.#server.forceShutdown();
  }
}

export class Host {
  /** What the host wrote to standard error: the engine shows it out of context. */
  printed = "";

  private constructor(
    readonly engine: Engine,
    private readonly child: ChildProcess,
    private readonly client: ResourceProviderClient,
  ) {
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.printed += text;
    });
  }

  /** Starts a host in the checkout, where the stub finds the built package. */
  static async start(config: Properties, env: NodeJS.ProcessEnv = {}): Promise<Host> {
    const engine = new Engine();
    const script = join(root, "node_modules/@pulumi/pulumi/cmd/dynamic-provider/index.js");
    const child = spawn(process.execPath, [script, await engine.listen()], {
      cwd: root,
      env: { PATH: process.env.PATH, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const port = await new Promise<string>((resolve) => {
      child.stdout.setEncoding("utf8").once("data", (text: string) => resolve(text.trim()));
    });
    const client = new ResourceProviderClient(`127.0.0.1:${port}`, grpc.credentials.createInsecure());
    const host = new Host(engine, child, client);
    const request = new messages.ConfigureRequest();
    request.setArgs(Struct.fromJavaScript(config));
    await host.call<messages.ConfigureResponse>((done) => client.configure(request, done));
    return host;
  }

  async check(olds: Properties, news: Properties): Promise<{ inputs: Properties; failures: string[] }> {
    const request = new messages.CheckRequest();
    request.setOlds(Struct.fromJavaScript(olds));
    request.setNews(Struct.fromJavaScript(news));
    const answer = await this.call<messages.CheckResponse>((done) => this.client.check(request, done));
    return {
      inputs: read(answer.getInputs()),
      failures: answer.getFailuresList().map((failure) => `${failure.getProperty()}: ${failure.getReason()}`),
    };
  }

  async create(inputs: Properties): Promise<{ id: string; outputs: Properties }> {
    const request = new messages.CreateRequest();
    request.setProperties(Struct.fromJavaScript(inputs));
    const answer = await this.call<messages.CreateResponse>((done) => this.client.create(request, done));
    return { id: answer.getId(), outputs: read(answer.getProperties()) };
  }

  async read(id: string, state: Properties): Promise<{ id: string; outputs: Properties; inputs: Properties }> {
    const request = new messages.ReadRequest();
    request.setId(id);
    request.setProperties(Struct.fromJavaScript(state));
    const answer = await this.call<messages.ReadResponse>((done) => this.client.read(request, done));
    return { id: answer.getId(), outputs: read(answer.getProperties()), inputs: read(answer.getInputs()) };
  }

  async update(id: string, olds: Properties, news: Properties): Promise<Properties> {
    const request = new messages.UpdateRequest();
    request.setId(id);
    request.setOlds(Struct.fromJavaScript(olds));
    request.setNews(Struct.fromJavaScript(news));
    return read(
      (await this.call<messages.UpdateResponse>((done) => this.client.update(request, done))).getProperties(),
    );
  }

  async delete(id: string, state: Properties): Promise<void> {
    const request = new messages.DeleteRequest();
    request.setId(id);
    request.setProperties(Struct.fromJavaScript(state));
    await this.call<Empty>((done) => this.client.delete(request, done));
  }

  stop(): void {
    this.client.close();
    this.child.kill("SIGKILL");
    this.engine.kill();
  }

  private call<Answer>(
    send: (done: (error: grpc.ServiceError | null, answer: Answer) => void) => void,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      send((error, answer) => (error ? reject(new HostError(error.details, savedIn(error))) : resolve(answer)));
    });
  }
}

function read(struct: Struct | undefined): Properties {
  return struct ? struct.toJavaScript() : {};
}

/** The details that the engine saves as a resource with init errors. */
function savedIn(error: grpc.ServiceError): HostError["saved"] {
  const [details] = error.metadata.get("grpc-status-details-bin");
  if (!Buffer.isBuffer(details)) return undefined;
  const [detail] = Status.deserializeBinary(details).getDetailsList();
  if (!detail) return undefined;
  const failed = messages.ErrorResourceInitFailed.deserializeBinary(detail.getValue_asU8());
  return { id: failed.getId(), properties: read(failed.getProperties()), reasons: failed.getReasonsList() };
}
