import { createServer, type Server, type Socket } from "node:net";
import { greetsSsh } from "../../provider/fronts/sshGreeting";

describe("An endpoint", () => {
  let server: Server | undefined;

  afterEach(() => new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve())));

  async function serve(greet: (socket: Socket) => void): Promise<number> {
    const listening = createServer((socket) => {
      socket.on("error", () => socket.destroy());
      greet(socket);
    });
    server = listening;
    await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
    const address = listening.address();
    return typeof address === "object" && address ? address.port : 0;
  }

  test.each([
    ["with its banner", ["SSH-2.0-OpenSSH_9.6\r\n"], true],
    ["in pieces", ["SS", "H-2.0-x\r\n"], true],
    ["after other lines, as RFC 4253 allows", ["Welcome\r\n", "SSH-2.0-x\r\n"], true],
    ["as a web server", ["HTTP/1.1 400 Bad Request\r\n\r\n"], false],
    ["with SSH in the middle of a line", ["this is no SSH-2.0 server\r\n"], false],
    ["with nothing", [], false],
    ["with more than any banner", ["x".repeat(20_000)], false],
  ])("that answers %s", async (_, parts, greets) => {
    const port = await serve((socket) => {
      socket.setNoDelay(true);
      for (const part of parts) socket.write(part);
      socket.end();
    });
    expect(await greetsSsh("127.0.0.1", port, 2000)).toBe(greets);
  });

  test("that accepts and says nothing is given up when the time is over", async () => {
    const port = await serve((socket) => setTimeout(() => socket.destroy(), 500).unref());
    expect(await greetsSsh("127.0.0.1", port, 50)).toBe(false);
  });

  test("that is not there does not greet", async () => {
    const port = await serve(() => undefined);
    await new Promise<void>((resolve) => server?.close(() => resolve()));
    server = undefined;
    expect(await greetsSsh("127.0.0.1", port, 2000)).toBe(false);
  });
});
