import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { Served } from "./exchange";
import { errorCode, Refusal } from "./refusal";
import type { Route } from "./routes";
import { readJson } from "./validation";
import type { Orders, World } from "./world";

const mostBodyBytes = 1024 * 1024;

type Env = { Bindings: { orders: Orders } };

/** The service over HTTP: routes, key, bodies and errors. `own` are the emulator's own endpoints. */
export function createService(world: World, routes: readonly Route[], own: (app: Hono<Env>) => void): Served {
  const app = new Hono<Env>();
  const errorResponse = (status: number, message: string) =>
    Response.json(errorBody(world, status, message), { status });

  own(app);
  app.use(
    bodyLimit({ maxSize: mostBodyBytes, onError: () => errorResponse(400, "invalid request: body: is too long") }),
  );
  for (const route of routes) {
    app.on(route.method, honoPath(route.path), async (context) => {
      if (route.key) demandKey(world, context.req.header("authorization"));
      const { orders } = context.env;
      const at = world.clock.now();
      const body = await route.handle(
        { at, asOf: at - orders.staleMs, orders },
        { id: context.req.param("id"), readBody: async () => readJson(await context.req.text()) },
      );
      return body instanceof Response ? body : Response.json(body);
    });
  }
  for (const [path, methods] of methodsByPath(routes)) {
    app.all(path, () => {
      const response = errorResponse(405, `answers to ${methods.join(" and ")} only`);
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
  return { fetch: async (request, orders) => app.fetch(request, { orders }), errorResponse };
}

export type ServiceApp = Hono<Env>;

function errorBody({ dialect }: World, status: number, message: string) {
  const code = errorCode(status);
  return dialect.errors === "nested" ? { error: { code, message } } : { message, error_code: code };
}

function demandKey({ settings }: World, authorization: string | undefined): void {
  if (authorization === undefined) throw new Refusal(401, "Authorization: is missing");
  if (authorization !== `Bearer ${settings.apiKey}`)
    throw new Refusal(401, "Authorization: is not a key of this service");
}

function methodsByPath(routes: readonly Route[]): Map<string, string[]> {
  const methods = new Map<string, string[]>();
  for (const { path, method } of routes) methods.set(honoPath(path), [...(methods.get(honoPath(path)) ?? []), method]);
  return methods;
}

/** An id is a number: `storage-volumes/attach` is no volume. */
function honoPath(path: string): string {
  return path.replace("{id}", ":id{[0-9]+}");
}
