import type { z } from "zod";
import type { OperationName, operations } from "../../provider/service";
import { chat, generateAudio, generateImage, getRequestCost } from "../inference";
import {
  attachStorageVolume,
  createBareMetalRental,
  createMarketplaceInstance,
  createStorageVolume,
  createVmRental,
  getBalance,
  getMarketplaceHistory,
  listBareMetalRentals,
  listMarketplaceInstances,
  listMarketplaceMachines,
  listStorageVolumes,
  requestReservation,
  seededMachines,
  terminateMarketplaceInstance,
} from "../nouns";
import { Refusal } from "../refusal";
import type { Call, World } from "../state";

export type RequestSchema<Name extends OperationName> = NonNullable<(typeof operations)[Name]["request"]>;
export type ResponseSchema<Name extends OperationName> = (typeof operations)[Name]["response"];

/** Returns the body of the answer, or a `Response` where headers matter as well. */
export type Handler<Request extends z.ZodType, Response extends z.ZodType> = (
  call: Call,
  request: z.output<Request>,
) => Answer<z.input<Response>> | Promise<Answer<z.input<Response>>>;

type Answer<Body> = Body | Response;

/** One per operation of the table: one that is missing does not compile. */
export type Handlers = { [Name in OperationName]: Handler<RequestSchema<Name>, ResponseSchema<Name>> };

/** `describe` gives the OpenAPI document as text. */
export function handlersOf(world: World, describe: () => string): Handlers {
  const machines = seededMachines(world.settings.seed);
  return {
    getOpenApi: () => {
      if (!world.dialect.described) throw new Refusal(404, "not found");
      return new Response(describe(), { headers: { "content-type": "application/json" } });
    },
    getRequestCost: (_, request) => getRequestCost(world, request),
    attachStorageVolume: (call, request) => attachStorageVolume(world, call, request),
    createBareMetalRental: (call, request) => createBareMetalRental(world, call, request),
    listBareMetalRentals: (call) => listBareMetalRentals(world, call),
    requestReservation: (_, request) => requestReservation(request),
    createStorageVolume: (call, request) => createStorageVolume(world, call, request),
    listStorageVolumes: (call) => listStorageVolumes(world, call),
    createVmRental: (call, request) => createVmRental(world, call, request),
    listMarketplaceMachines: (call) => listMarketplaceMachines(world, call, machines.values()),
    createMarketplaceInstance: (call, request) => createMarketplaceInstance(world, call, machines, request),
    listMarketplaceInstances: (call) => listMarketplaceInstances(world, call),
    getMarketplaceHistory: (call) => getMarketplaceHistory(world, call),
    terminateMarketplaceInstance: (call, { id }) => terminateMarketplaceInstance(world, call, id),
    getBalance: (call) => getBalance(world, call),
    chat: (call, request) => chat(world, call, request),
    generateImage: (call, request) => generateImage(world, call, request),
    generateAudio: (call, request) => generateAudio(world, call, request),
  };
}
