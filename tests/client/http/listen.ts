import type { Server } from "node:net";

/** Listens on a free port of this machine, and tells which. */
export async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the server has no port");
  return address.port;
}

/** A port of this machine on which nobody listens. */
export async function unusedPort(server: Server): Promise<number> {
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}
