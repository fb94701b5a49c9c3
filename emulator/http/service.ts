import { Hono } from "hono";
import { TrieRouter } from "hono/router/trie-router";
import { errorCode, Refusal } from "../refusal";
import type { HandlerFaults, World } from "../state";
import type { Service } from "./exchange";
import type { Route } from "./route";
import { routesOf } from "./routes";
import { readJson } from "./validation";

const mostBodyBytes = 1024 * 1024;

type Env = { Bindings: { faults: HandlerFaults } };

/** The service over HTTP: routes, key, bodies and errors. `own` are the emulator's own endpoints. */
export function createService(world: World, own: (app: Hono<Env>) => void): Service {
  // The router with the cheapest setup: tests create emulators by the thousand, and each has few routes.
  const app = new Hono<Env>({ router: new TrieRouter() });
  const errorResponse = (status: number, message: string) =>
    Response.json(errorBody(world, status, message), { status });

  const routes = routesOf(world);

  own(app);
  for (const route of routes) {
    app.on(route.method, honoPath(route.path), async (context) => {
      const account = route.key ? accountOf(world, context.req.header("authorization")) : "";
      const { faults } = context.env;
      const at = world.clock.now();
      const body = await route.handle(
        { account, at, asOf: at - faults.staleMs, faults },
        { id: context.req.param("id"), readBody: async () => readJson(await readText(context.req.raw)) },
      );
      return body instanceof Response ? body : Response.json(body);
    });
  }
  for (const [path, methods] of methodsByPath(routes)) {
    app.all(path, () => {
      const response = errorResponse(405, `method not allowed: use ${methods.join(" or ")}`);
      response.headers.set("allow", methods.join(", "));
      return response;
    });
  }
  app.notFound(() => errorResponse(404, "not found"));
  app.onError((error) => {
    if (!(error instanceof Refusal)) return errorResponse(500, error.message);
    const response = errorResponse(error.status, error.message);
    if (error.status === 401) response.headers.set("www-authenticate", "Bearer");
    return response;
  });
  return { fetch: async (request, faults) => app.fetch(request, { faults }), errorResponse };
}

/**
 * The body as text, counted while it is read because its length header may be wrong. Hono's own reader copies the Request,
 * which fails for a DELETE that comes over a socket.
 */
async function readText(request: Request): Promise<string> {
  const tooLong = new Refusal(400, "invalid request: body: must be 1 MB or less");
  if (Number(request.headers.get("content-length")) > mostBodyBytes) throw tooLong;
  const reader = request.body?.getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
    size += read.value.byteLength;
    if (size > mostBodyBytes) throw tooLong;
    parts.push(read.value);
  }
  return Buffer.concat(parts).toString("utf8");
}

export type ServiceApp = Hono<Env>;

function errorBody({ dialect }: World, status: number, message: string) {
  const code = errorCode(status);
  return dialect.errors === "nested" ? { error: { code, message } } : { message, error_code: code };
}

function accountOf({ settings }: World, authorization: string | undefined): string {
  if (authorization === undefined) throw new Refusal(401, "the API key is missing");
  const account = settings.accounts.get(authorization.replace(/^Bearer /, ""));
  if (account === undefined || !authorization.startsWith("Bearer ")) throw new Refusal(401, "the API key was rejected");
  return account;
}

function methodsByPath(routes: readonly Route[]): Map<string, string[]> {
  const methods = new Map<string, string[]>();
  for (const { path, method } of routes) methods.set(honoPath(path), [...(methods.get(honoPath(path)) ?? []), method]);
  return methods;
}

/** Ids are numbers, so that `storage-volumes/attach` is not taken for a volume. */
function honoPath(path: string): string {
  return path.replace("{id}", ":id{[0-9]+}");
}
