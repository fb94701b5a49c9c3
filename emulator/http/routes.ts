import type { z } from "zod";
import { type Operation, type OperationName, operations } from "../../provider/service";
import type { World } from "../state";
import { describeOnce } from "./description";
import { type Handler, type Handlers, handlersOf, type RequestSchema, type ResponseSchema } from "./handlers";
import { namesOf } from "./names";
import type { Route } from "./route";
import { undocumentedRoutes } from "./undocumentedRoutes";
import { parse } from "./validation";

/** The same table, typed so that an operation and its handler can be looked up under one name. */
const table: { [Name in OperationName]: Operation<RequestSchema<Name>, ResponseSchema<Name>> } = operations;

type NameWithBody = {
  [Name in OperationName]: RequestSchema<Name> extends z.ZodUndefined ? never : Name;
}[OperationName];

/** Every operation of the table, and those that the dialect adds. */
export function routesOf(world: World): Route[] {
  const handlers = handlersOf(world, () => describeOnce(world.dialect, routes));
  const documented = namesOf(operations).flatMap((name) => {
    const route = takesBody(name) ? routeWithBody(name, handlers) : routeWithoutBody(name, handlers);
    const methods = name === "listMarketplaceInstances" ? world.dialect.marketplace.listMethods : [route.method];
    return methods.map((method): Route => ({ ...route, method }));
  });
  const routes: Route[] = [...documented, ...undocumentedRoutes(world)];
  return routes;
}

function takesBody(name: OperationName): name is NameWithBody {
  return operations[name].request !== undefined;
}

function routeWithBody<Name extends NameWithBody>(name: Name, handlers: Handlers): Route {
  return parsed(name, table[name], handlers[name]);
}

function parsed<Request extends z.ZodType, Response extends z.ZodType>(
  name: NameWithBody,
  operation: Operation<Request, Response>,
  handler: Handler<Request, Response>,
): Route {
  const { request } = operation;
  if (!request) throw new Error(`${name} takes no body`);
  return { ...operation, name, handle: async (call, input) => handler(call, parse(request, await input.readBody())) };
}

function routeWithoutBody(name: Exclude<OperationName, NameWithBody>, handlers: Handlers): Route {
  const handler = handlers[name];
  return { ...operations[name], name, handle: async (call) => handler(call, undefined) };
}
