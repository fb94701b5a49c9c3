import type { z } from "zod";
import { type Operation, type OperationName, operations } from "../provider/service";
import { createBareMetalRental, listBareMetalRentals } from "./bareMetalRental";
import { getBalance } from "./billing";
import { chat, generateAudio, generateImage, getRequestCost } from "./inference";
import {
  createMarketplaceInstance,
  getMarketplaceHistory,
  listMarketplaceInstances,
  terminateMarketplaceInstance,
} from "./marketplaceInstance";
import { listMarketplaceMachines, seededMachines } from "./marketplaceMachine";
import { Refusal } from "./refusal";
import { undocumentedRoutes } from "./undocumentedRoutes";
import { parse } from "./validation";
import { createVmRental } from "./vmRental";
import { attachStorageVolume, createStorageVolume, listStorageVolumes } from "./volume";
import type { Call, World } from "./world";

/** What a request brings: the `{id}` of its path, and its body. */
export interface Input {
  id: string | undefined;
  readBody(): Promise<unknown>;
}

/** An operation that the emulator has: enough to describe it, and how to carry it out. */
export interface Route extends Omit<Operation, "base" | "idempotent"> {
  name: string;
  handle(call: Call, input: Input): Promise<unknown>;
}

/**
 * A handler's result is the body of the answer, of the type that the table gives the operation; a `Response` where
 * headers matter as well.
 */
type Result<Body> = Body | Response | Promise<Body | Response>;

function withBody<Request extends z.ZodType, Body extends z.ZodType>(
  name: OperationName,
  operation: Operation<Request, Body>,
  handler: (call: Call, request: z.output<Request>) => Result<z.input<Body>>,
): Route {
  const { request } = operation;
  if (!request) throw new Error(`${name} takes no body`);
  return { ...operation, name, handle: async (call, input) => handler(call, parse(request, await input.readBody())) };
}

function withoutBody<Body extends z.ZodType>(
  name: OperationName,
  operation: Operation<z.ZodUndefined, Body>,
  handler: (call: Call) => Result<z.input<Body>>,
): Route {
  return { ...operation, name, handle: async (call) => handler(call) };
}

/** Every operation of the table, and those that the dialect adds. `describe` gives the OpenAPI document as text. */
export function routesOf(world: World, describe: () => string): Route[] {
  const machines = seededMachines(world.settings.seed);
  const o = operations;
  return [
    withoutBody("getOpenApi", o.getOpenApi, () => {
      if (!world.dialect.described) throw new Refusal(404, "no description here");
      return new Response(describe(), { headers: { "content-type": "application/json" } });
    }),
    withBody("getRequestCost", o.getRequestCost, (_, request) => getRequestCost(world, request)),
    withBody("createBareMetalRental", o.createBareMetalRental, (call, request) =>
      createBareMetalRental(world, call, request),
    ),
    withoutBody("listBareMetalRentals", o.listBareMetalRentals, (call) => listBareMetalRentals(world, call)),
    withBody("requestReservation", o.requestReservation, (_, { gpuCount }) => ({
      message: `Your request for ${gpuCount} GPUs was received.`,
    })),
    withBody("createStorageVolume", o.createStorageVolume, (call, request) =>
      createStorageVolume(world, call, request),
    ),
    withoutBody("listStorageVolumes", o.listStorageVolumes, (call) => listStorageVolumes(world, call)),
    withBody("attachStorageVolume", o.attachStorageVolume, (call, request) =>
      attachStorageVolume(world, call, request),
    ),
    withBody("createVmRental", o.createVmRental, (call, request) => createVmRental(world, call, request)),
    withBody("listMarketplaceMachines", o.listMarketplaceMachines, (call) =>
      listMarketplaceMachines(world, call, machines.values()),
    ),
    withBody("createMarketplaceInstance", o.createMarketplaceInstance, (call, request) =>
      createMarketplaceInstance(world, call, machines, request),
    ),
    ...world.dialect.marketplace.listMethods.map((method) =>
      withoutBody("listMarketplaceInstances", { ...o.listMarketplaceInstances, method }, (call) =>
        listMarketplaceInstances(world, call),
      ),
    ),
    withoutBody("getMarketplaceHistory", o.getMarketplaceHistory, (call) => getMarketplaceHistory(world, call)),
    withBody("terminateMarketplaceInstance", o.terminateMarketplaceInstance, (call, { id }) =>
      terminateMarketplaceInstance(world, call, id),
    ),
    withoutBody("getBalance", o.getBalance, (call) => getBalance(world, call.at)),
    withBody("chat", o.chat, (call, request) => chat(world, call, request)),
    withBody("generateImage", o.generateImage, (call, request) => generateImage(world, call, request)),
    withBody("generateAudio", o.generateAudio, (call, request) => generateAudio(world, call, request)),
    ...undocumentedRoutes(world),
  ];
}
