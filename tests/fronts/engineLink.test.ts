import { createServer } from "node:net";
import * as grpc from "@grpc/grpc-js";
import * as services from "@pulumi/pulumi/proto/engine_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/engine_pb";
import { linkEngine } from "../../provider/fronts/engineLink";

const open = (address: string) =>
  linkEngine(
    address,
    () => [],
    () => ({ grpc, services, messages }),
  );

/** An engine that knows of nothing but its log: it says so, and so it is there. */
async function serve(): Promise<{ address: string; end: () => void }> {
  const server = new grpc.Server();
  server.addService(services.EngineService, { log: () => undefined });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  return { address: `127.0.0.1:${port}`, end: () => server.forceShutdown() };
}

/** An address at which nobody listens. */
async function deadAddress(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return `127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
}

describe("The engine that has started the process", () => {
  test("answers, until it has ended", async () => {
    const { address, end } = await serve();
    const link = open(address);
    expect(await link.ask()).toBe("answers");
    end();
    expect(await link.ask()).toBe("gone");
  });

  test("is silent, and not gone, while it is suspended", async () => {
    const server = createServer(() => undefined).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const address = server.address();
    expect(await open(`127.0.0.1:${typeof address === "object" ? address?.port : 0}`).ask()).toBe("silent");
    server.close();
  });

  test.each(["http_proxy", "https_proxy", "grpc_proxy"])("is not looked for behind a proxy (%s)", async (name) => {
    const before = process.env[name];
    const { address, end } = await serve();
    process.env[name] = `http://${await deadAddress()}`;
    try {
      expect(await open(address).ask()).toBe("answers");
    } finally {
      if (before === undefined) delete process.env[name];
      else process.env[name] = before;
      end();
    }
  });
});
