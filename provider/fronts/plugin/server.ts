import * as grpc from "@grpc/grpc-js";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";

/** As much as the engine itself sends and takes. */
const mostBytes = 400 * 1024 * 1024;

export interface Served {
  port: number;
  close(): void;
}

/** Serves the provider protocol on a port of this machine. The methods are asked for with the first call. */
export async function serve(methods: () => grpc.UntypedServiceImplementation): Promise<Served> {
  const server = new grpc.Server({
    "grpc.max_receive_message_length": mostBytes,
    "grpc.max_send_message_length": mostBytes,
  });
  server.addService(ResourceProviderService, calledByName(methods));
  return new Promise((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) =>
      error ? reject(error) : resolve({ port, close: () => server.forceShutdown() }),
    );
  });
}

function calledByName(methods: () => grpc.UntypedServiceImplementation): grpc.UntypedServiceImplementation {
  const call =
    (name: string): grpc.handleUnaryCall<unknown, unknown> =>
    (...args) => {
      const method = methods()[name] as grpc.handleUnaryCall<unknown, unknown> | undefined;
      if (method) return method(...args);
      const [, answer] = args;
      answer({ code: grpc.status.UNIMPLEMENTED, details: `pulumi-gpufleet does not have the method ${name}` });
    };
  return Object.fromEntries(Object.keys(ResourceProviderService).map((name) => [name, call(name)]));
}
