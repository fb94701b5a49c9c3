import { z } from "zod";
import { balance } from "./billing";
import {
  chatRequest,
  chatResponse,
  generateAudioRequest,
  generateAudioResponse,
  generateImageRequest,
  generateImageResponse,
} from "./inference";
import {
  createMarketplaceInstanceRequest,
  createMarketplaceInstanceResponse,
  listMarketplaceInstancesResponse,
  listMarketplaceMachinesRequest,
  listMarketplaceMachinesResponse,
  marketplaceHistoryResponse,
  terminateMarketplaceInstanceRequest,
  terminateMarketplaceInstanceResponse,
} from "./marketplace";
import {
  activeBareMetalRental,
  bareMetalRental,
  createBareMetalRentalRequest,
  createVmRentalRequest,
  readableBareMetalRental,
  readableVmRental,
  requestReservationRequest,
  requestReservationResponse,
  vmRental,
} from "./rental";
import { openApiDocument, requestCostRequest, requestCostResponse } from "./usage";
import {
  attachStorageVolumeRequest,
  attachStorageVolumeResponse,
  createStorageVolumeRequest,
  createStorageVolumeResponse,
  readableAttachment,
  readableCreatedVolume,
  storageVolume,
} from "./volume";

/** One operation of the service, as the client, the emulator, the description and the docs all use it. */
export interface Operation<
  Request extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
  Read extends z.ZodType = z.ZodType,
> {
  summary: string;
  method: "GET" | "POST" | "DELETE";
  /** Below the base URL; `{id}` stands for an id. */
  path: string;
  /** Which of the two base URLs. */
  base: "v2" | "v1";
  /** Whether the Bearer header is sent. */
  key: boolean;
  /** Whether sending it twice does no more than sending it once. */
  idempotent: boolean;
  /** Undefined where no body is sent. */
  request: Request | undefined;
  /** The answer as it is documented. */
  response: Response;
  /** The answer as the client reads it: more generously, where it can do with less. */
  read: Read;
  /** The error statuses of the interface; those of the v1 operations are not shown. */
  errors: readonly number[];
}

type Fields<Request, Response> = Omit<Operation, "key" | "request" | "response" | "read" | "errors"> & {
  key?: false;
  request?: Request;
  response: Response;
  errors?: readonly number[];
};

function operation<Response extends z.ZodType, Read extends z.ZodType, Request extends z.ZodType = z.ZodUndefined>(
  fields: Fields<Request, Response> & { read: Read },
): Operation<Request, Response, Read>;
function operation<Response extends z.ZodType, Request extends z.ZodType = z.ZodUndefined>(
  fields: Fields<Request, Response>,
): Operation<Request, Response, Response>;
function operation(fields: Fields<z.ZodType, z.ZodType> & { read?: z.ZodType }): Operation {
  return { key: true, request: undefined, errors: [400, 401, 403, 500], read: fields.response, ...fields };
}

const listErrors = [400, 401, 403, 404, 500];
const onDemand = "/v2/alpha/on-demand";

/** The collections of the on-demand interface. */
export const collections = {
  bareMetal: `${onDemand}/bare-metal-rentals`,
  virtualMachine: `${onDemand}/virtual-machine-rentals`,
  storageVolume: `${onDemand}/storage-volumes`,
} as const;

/** Every documented operation, under the name of its client method. */
export const operations = {
  getOpenApi: operation({
    summary: "Returns the OpenAPI description of the v2 interface.",
    method: "GET",
    path: "/v2/openapi.json",
    base: "v2",
    idempotent: true,
    response: openApiDocument,
    errors: listErrors,
  }),
  getRequestCost: operation({
    summary: "Returns the cost of inference requests, in nano-USD.",
    method: "POST",
    path: "/v2/usage/request-cost",
    base: "v2",
    idempotent: true,
    request: requestCostRequest,
    response: requestCostResponse,
  }),
  attachStorageVolume: operation({
    summary: "Attaches a storage volume to bare-metal rentals.",
    method: "POST",
    path: `${collections.storageVolume}/attach`,
    base: "v2",
    idempotent: false,
    request: attachStorageVolumeRequest,
    response: attachStorageVolumeResponse,
    read: readableAttachment,
  }),
  createBareMetalRental: operation({
    summary: "Rents bare-metal nodes.",
    method: "POST",
    path: collections.bareMetal,
    base: "v2",
    idempotent: false,
    request: createBareMetalRentalRequest,
    response: bareMetalRental,
    read: readableBareMetalRental,
  }),
  listBareMetalRentals: operation({
    summary: "Lists bare-metal rentals.",
    method: "GET",
    path: collections.bareMetal,
    base: "v2",
    idempotent: true,
    response: z.array(activeBareMetalRental),
    errors: listErrors,
  }),
  requestReservation: operation({
    summary: "Requests a reservation of a large instance.",
    method: "POST",
    path: `${onDemand}/request-reservation`,
    base: "v2",
    idempotent: false,
    request: requestReservationRequest,
    response: requestReservationResponse,
  }),
  createStorageVolume: operation({
    summary: "Creates a storage volume.",
    method: "POST",
    path: collections.storageVolume,
    base: "v2",
    idempotent: false,
    request: createStorageVolumeRequest,
    response: createStorageVolumeResponse,
    read: readableCreatedVolume,
  }),
  listStorageVolumes: operation({
    summary: "Lists storage volumes.",
    method: "GET",
    path: collections.storageVolume,
    base: "v2",
    idempotent: true,
    response: z.array(storageVolume),
    errors: listErrors,
  }),
  createVmRental: operation({
    summary: "Rents a virtual machine.",
    method: "POST",
    path: collections.virtualMachine,
    base: "v2",
    idempotent: false,
    request: createVmRentalRequest,
    response: vmRental,
    read: readableVmRental,
  }),
  listMarketplaceMachines: operation({
    summary: "Lists the machines on the marketplace.",
    method: "POST",
    path: "/v1/marketplace",
    base: "v1",
    key: false,
    idempotent: true,
    request: listMarketplaceMachinesRequest,
    response: listMarketplaceMachinesResponse,
  }),
  createMarketplaceInstance: operation({
    summary: "Rents GPUs of a marketplace machine.",
    method: "POST",
    path: "/v1/marketplace/instances/create",
    base: "v1",
    idempotent: false,
    request: createMarketplaceInstanceRequest,
    response: createMarketplaceInstanceResponse,
  }),
  /** The heading of the interface says POST and its sample GET: the client asks with GET first. */
  listMarketplaceInstances: operation({
    summary: "Lists the account's marketplace instances.",
    method: "GET",
    path: "/v1/marketplace/instances",
    base: "v1",
    idempotent: true,
    response: listMarketplaceInstancesResponse,
  }),
  getMarketplaceHistory: operation({
    summary: "Lists past marketplace instances.",
    method: "GET",
    path: "/v1/marketplace/instances/history",
    base: "v1",
    idempotent: true,
    response: marketplaceHistoryResponse,
  }),
  terminateMarketplaceInstance: operation({
    summary: "Terminates a marketplace instance.",
    method: "POST",
    path: "/v1/marketplace/instances/terminate",
    base: "v1",
    idempotent: false,
    request: terminateMarketplaceInstanceRequest,
    response: terminateMarketplaceInstanceResponse,
    errors: listErrors,
  }),
  getBalance: operation({
    summary: "Returns the account's balance.",
    method: "GET",
    path: "/billing/get_current_balance",
    base: "v1",
    idempotent: true,
    response: balance,
  }),
  chat: operation({
    summary: "Completes a chat, in one response or as a stream.",
    method: "POST",
    path: "/v1/chat/completions",
    base: "v1",
    idempotent: false,
    request: chatRequest,
    response: chatResponse,
  }),
  generateImage: operation({
    summary: "Generates an image.",
    method: "POST",
    path: "/v1/image/generation",
    base: "v1",
    idempotent: false,
    request: generateImageRequest,
    response: generateImageResponse,
  }),
  generateAudio: operation({
    summary: "Generates speech from text.",
    method: "POST",
    path: "/v1/audio/generation",
    base: "v1",
    idempotent: false,
    request: generateAudioRequest,
    response: generateAudioResponse,
  }),
};

export type OperationName = keyof typeof operations;
export type RequestOf<Name extends OperationName> = z.input<NonNullable<(typeof operations)[Name]["request"]>>;
/** What the client makes of the answer. */
export type ResponseOf<Name extends OperationName> = z.output<(typeof operations)[Name]["read"]>;
