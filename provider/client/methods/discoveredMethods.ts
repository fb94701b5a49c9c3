import { z } from "zod";
import {
  attachStorageVolumeRequest,
  endResponse,
  operations,
  rentalTypes,
  type UndocumentedName,
  undocumentedOperations,
  type VmRental,
  vmRentalList,
} from "../../service";
import type { Discovery, ResolvedOperation } from "../discovery/discovery";
import { saysObjectIsMissing } from "../discovery/missingObject";
import * as errors from "../errors";
import type { Call, CallOptions, Http } from "../http/http";
import { callTo } from "../http/tableCall";

const terminateRequest = z.strictObject({ rentalId: z.int(), rentalType: z.enum(rentalTypes).optional() });
const deleteRequest = z.strictObject({ storageVolumeId: z.int() });

/** What ending something answers is not shown; where there is a message, it is handed on. */
const endResult = endResponse.transform((body) => {
  const said = z.looseObject({ message: z.string() }).safeParse(body);
  return { message: said.success ? said.data.message : undefined };
});

export type EndResult = z.output<typeof endResult>;

export interface DiscoveredMethods {
  /** Ends a rental. Without `rentalType`, it is a bare-metal one if the list has it, and else a virtual machine. */
  terminateRental(request: z.input<typeof terminateRequest>, options?: CallOptions): Promise<EndResult>;
  listVmRentals(options?: CallOptions): Promise<VmRental[]>;
  deleteStorageVolume(request: z.input<typeof deleteRequest>, options?: CallOptions): Promise<EndResult>;
  detachStorageVolume(request: z.input<typeof attachStorageVolumeRequest>, options?: CallOptions): Promise<EndResult>;
}

/** The methods whose operations the interface does not show. They fail with OperationUnavailableError where there is none. */
export function discoveredMethods(http: Http, discovery: Discovery): DiscoveredMethods {
  const unavailable = new Map<UndocumentedName, errors.OperationUnavailableError>();

  async function send<Response extends z.ZodType>(
    name: UndocumentedName,
    call: Pick<Call<Response>, "operation" | "idempotent" | "response"> & { id?: number; fields?: object },
    options: CallOptions | undefined,
  ): Promise<z.output<Response>> {
    const known = unavailable.get(name);
    if (known) throw new errors.OperationUnavailableError(known, known, name);
    const resolved = await discovery.resolve(name, options);
    const { id, fields, ...rest } = call;
    const request = { ...rest, ...place(resolved, id, fields), base: "v2", key: true } as const;
    try {
      return (await http.send(request, options)).value;
    } catch (error) {
      if (isProxyPage(error, resolved)) throw new errors.UnreadableAnswerError(error, { ...error, cause: error });
      const missing = asUnavailable(error, name, resolved);
      if (missing && resolved.kind === "conventional") unavailable.set(name, missing);
      throw missing ?? error;
    }
  }

  /** `operation` is the name of the client's method, where that is another than the operation's own. */
  const end = (
    name: UndocumentedName,
    id: number,
    { operation = name, fields = {} }: { operation?: string; fields?: object },
    options: CallOptions | undefined,
  ) => send(name, { operation, idempotent: false, response: endResult, id, fields }, options);

  async function findRentalType(rentalId: number, options: CallOptions | undefined) {
    const call = callTo(http, "listBareMetalRentals", operations.listBareMetalRentals, undefined);
    const { value } = await http.send(call, { signal: options?.signal, deadline: options?.deadline });
    return value.some((rental) => rental.id === rentalId) ? "bare-metal" : "virtual-machine";
  }

  const check = <Schema extends z.ZodType>(
    name: UndocumentedName,
    schema: Schema,
    request: unknown,
    operation: string = name,
  ) => http.check({ operation, ...undocumentedOperations[name] }, schema, request);

  return {
    terminateRental: async (request, options) => {
      const operation = "terminateRental";
      const checked = check("terminateBareMetalRental", terminateRequest, request, operation);
      const type = checked.rentalType ?? (await findRentalType(checked.rentalId, options));
      const name = type === "bare-metal" ? "terminateBareMetalRental" : "terminateVmRental";
      return end(name, checked.rentalId, { operation }, options);
    },
    listVmRentals: (options) =>
      send("listVmRentals", { operation: "listVmRentals", idempotent: true, response: vmRentalList }, options),
    deleteStorageVolume: async (request, options) => {
      const { storageVolumeId } = check("deleteStorageVolume", deleteRequest, request);
      return end("deleteStorageVolume", storageVolumeId, {}, options);
    },
    detachStorageVolume: async (request, options) => {
      const { storageVolumeId, rentalIds } = check("detachStorageVolume", attachStorageVolumeRequest, request);
      return end("detachStorageVolume", storageVolumeId, { fields: { rentalIds } }, options);
    },
  };
}

/** Where the id goes: into the path, or into the body under the field that the operation has for it. */
function place({ method, path, idField }: ResolvedOperation, id: number | undefined, fields: object = {}) {
  if (id === undefined) return { method, path, body: method === "GET" ? undefined : fields };
  const body = idField === undefined ? fields : { [idField]: id, ...fields };
  const filled = path.replaceAll("{id}", encodeURIComponent(String(id)));
  return { method, path: filled, body: Object.keys(body).length === 0 ? undefined : body };
}

/**
 * A path that nobody serves also answers 404. Taking that for "the rental is gone" would leave it running and paid for, so
 * NotFoundError passes only where the answer speaks of the object, or the service itself describes the operation.
 */
function asUnavailable(error: unknown, name: UndocumentedName, { kind }: ResolvedOperation) {
  if (!(error instanceof errors.ServiceError) || (error.status !== 404 && error.status !== 405)) return undefined;
  if (error.status === 404 && (saysObjectIsMissing(error.reason) || kind === "described")) return undefined;
  return new errors.OperationUnavailableError(
    error,
    { status: error.status, reason: error.reason, cause: error },
    name,
  );
}

/** A 404 page for an operation that the service itself describes comes from a proxy, perhaps for a moment only. */
function isProxyPage(error: unknown, { kind }: ResolvedOperation): error is errors.NotFoundError {
  return error instanceof errors.NotFoundError && error.fromPage && kind === "described";
}
