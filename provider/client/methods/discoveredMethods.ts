import { z } from "zod";
import {
  attachStorageVolumeRequest,
  collections,
  type ItemOf,
  type Listing,
  lists,
  rentalTypes,
  storageVolumeIdOf,
  type UndocumentedName,
  undocumentedOperations,
} from "../../service";
import type { Discovery, ResolvedOperation } from "../discovery";
import { byDelete, isAboutForm, Sightings, saysObjectIsMissing, withFormAdvice, withPlainId } from "../discovery";
import * as errors from "../errors";
import type { Call, CallOptions, Http } from "../http";
import { sendList } from "../lists";
import { type EndResult, endResultOf } from "./endMethods";
import { list } from "./listMethods";

const terminateRequest = z.strictObject({ rentalId: z.int(), rentalType: z.enum(rentalTypes).optional() });
const deleteRequest = z.strictObject({ storageVolumeId: z.int() });

export interface DiscoveredMethods {
  /** Ends a rental. Without `rentalType`, it is a bare-metal one if the list has it, and else a virtual machine. */
  terminateRental(request: z.input<typeof terminateRequest>, options?: CallOptions): Promise<EndResult>;
  listVmRentals(options?: CallOptions): Promise<Listing<ItemOf<"listVmRentals">>>;
  deleteStorageVolume(request: z.input<typeof deleteRequest>, options?: CallOptions): Promise<EndResult>;
  detachStorageVolume(request: z.input<typeof attachStorageVolumeRequest>, options?: CallOptions): Promise<EndResult>;
}

type Request = Omit<Call, "response">;

/** The methods whose operations the interface does not show. They fail with OperationUnavailableError where there is none. */
export function discoveredMethods(http: Http, discovery: Discovery): DiscoveredMethods {
  const unavailable = new Map<UndocumentedName, errors.OperationUnavailableError>();
  const sightings = new Map<UndocumentedName, Sightings>();
  const had = new Set<UndocumentedName>();
  /** Had in the form that is tried first. */
  const hadAsUsual = new Set<UndocumentedName>();
  /** Other forms in which the service has accepted what nobody describes: from then on they are as good as described. */
  const accepted = new Map<UndocumentedName, ResolvedOperation>();
  /** Volumes whose plain id means nothing else. */
  const sure = new Set<number>();

  /**
   * Sends the request as the service does the operation. That there is no such operation is believed once it was seen several
   * times over some seconds: until then the request is sent again, which does no harm, because a list changes nothing and
   * ending twice is ending once. Of a list that somebody has told of, or that was had before, it is never believed: what runs
   * would not be looked for, and be rented again. What nobody describes is also sent in the other forms that services have.
   */
  async function send<Value>(
    name: UndocumentedName,
    write: (resolved: ResolvedOperation) => Request | Promise<Request>,
    perform: (request: Request, options: CallOptions) => Promise<Value>,
    given: CallOptions = {},
    isSureOf: (options: CallOptions) => Promise<boolean> = async () => false,
  ): Promise<Value> {
    const options = { ...given, deadline: http.deadlineOf({}, given) };
    /** Undefined where the service does not take this form either. */
    const inForm = async (form: ResolvedOperation | undefined): Promise<{ value: Value } | undefined> => {
      if (!form || !(await isSureOf(options))) return undefined;
      try {
        const value = await perform(await write(form), options);
        accepted.set(name, { ...form, kind: "described" });
        sightings.get(name)?.clear();
        had.add(name);
        return { value };
      } catch (error) {
        if (isWrongForm(error)) return undefined;
        throw error;
      }
    };
    const acceptedForm = async () => {
      const form = accepted.get(name);
      return form && (await isSureOf(options)) ? form : undefined;
    };
    for (;;) {
      refuseKnown(name);
      const found = await discovery.resolve(name, options);
      const resolved = (found.kind === "conventional" && (await acceptedForm())) || found;
      const request = await write(resolved);
      const seen = sightings.get(name) ?? new Sightings();
      try {
        const value = await perform(request, options);
        seen.clear();
        had.add(name);
        if (resolved === found) hadAsUsual.add(name);
        return value;
      } catch (error) {
        // What the service has done once, it does: a 404 is about this very object.
        const isOfForm = !isList(name) && resolved === found && hadAsUsual.has(name);
        const judged = { ...resolved, kind: isOfForm ? "described" : resolved.kind } as const;
        if (isProxyPage(error, judged)) throw mayPass(error);
        const missing = asUnavailable(error, name, judged);
        if (!missing) {
          if (isList(name) || !isAboutForm(error)) throw error;
          const other = await inForm(withPlainId(resolved));
          if (other) return other.value;
          throw withFormAdvice(error, name, resolved);
        }
        sightings.set(name, seen);
        seen.note(http.now());
        if (seen.areProof) {
          // Another one has found the form meanwhile.
          if (resolved === found && (await acceptedForm())) continue;
          const isKnown = resolved.kind !== "conventional" || had.has(name);
          if (isKnown && isList(name)) throw mayPass(missing, adviceOnList(name, resolved));
          const other = await inForm(byDelete(name, resolved));
          if (other) return other.value;
          if (resolved.kind === "conventional") unavailable.set(name, missing);
          throw missing;
        }
        if (!(await http.pause(request, seen.spacing, options))) throw mayPass(missing);
      }
    }
  }

  function refuseKnown(name: UndocumentedName): void {
    const known = unavailable.get(name);
    if (known) throw unavailableError(known, known, name);
  }

  /** `operation` is the name of the client's method, where that is another than the operation's own. */
  async function end(
    name: UndocumentedName,
    id: number,
    { operation = name, fields = {} }: { operation?: string; fields?: object },
    options: CallOptions | undefined,
  ): Promise<EndResult> {
    const write = async (resolved: ResolvedOperation): Promise<Request> => {
      if (resolved.idForm?.isPlain) await refuseOtherRecord(name, id, options);
      const value = resolved.idForm?.isExternal ? await externalIdOf(name, id, options) : id;
      return { operation, idempotent: false, base: "v2", key: true, ...place(resolved, value, fields) };
    };
    return send(
      name,
      write,
      async (request, options) => {
        const { value } = await http.send({ ...request, response: z.unknown(), takesAnyBody: true }, options);
        return endResultOf(value, http.secrets);
      },
      options,
      (options) => isOneId(name, id, options),
    );
  }

  /**
   * Whether the plain id can mean nothing else: a volume's record may have an id of its own, which may be the number of another volume.
   * What was sure once stays so: while it ends, lists may lack it.
   */
  async function isOneId(name: UndocumentedName, id: number, options: CallOptions): Promise<boolean> {
    if (undocumentedOperations[name].collection !== collections.storageVolume || sure.has(id)) return true;
    const volumes = await allVolumes(options).catch(() => undefined);
    const named = volumes?.filter((one) => one.id === id || storageVolumeIdOf(one) === id) ?? [];
    const isReadable = volumes !== undefined && volumes.unreadable === undefined;
    const isSure =
      isReadable && named.length > 0 && named.every((one) => one.id === id && storageVolumeIdOf(one) === id);
    if (isSure) sure.add(id);
    return isSure;
  }

  /** One look for all that are ended at once. */
  let look: ReturnType<typeof list<"listStorageVolumes">> | undefined;

  function allVolumes(options: CallOptions): ReturnType<typeof list<"listStorageVolumes">> {
    look ??= list(http, "listStorageVolumes", {}).finally(() => {
      look = undefined;
    });
    const call = { operation: "listStorageVolumes", method: "GET", path: collections.storageVolume };
    return http.waitFor(call, look, options);
  }

  /** What a description calls `id` alone may be that of the record: where another volume's record has this number, that one might be ended. */
  async function refuseOtherRecord(name: UndocumentedName, id: number, options: CallOptions = {}): Promise<void> {
    if (undocumentedOperations[name].collection !== collections.storageVolume) return;
    const volumes = await allVolumes(options);
    const other = volumes.find((one) => one.id === id && storageVolumeIdOf(one) !== id);
    if (!other) return;
    const reason = `not sent: the service's description calls the id of a volume only "id", and ${id} is also the number of the record of volume ${storageVolumeIdOf(other)}, which might be meant`;
    const advice = `Configure ${name} in gpufleet:operations`;
    throw new errors.BadRequestError({ operation: name, ...undocumentedOperations[name] }, { reason, advice });
  }

  const listVmRentals: DiscoveredMethods["listVmRentals"] = (options) =>
    send(
      "listVmRentals",
      ({ method, path, fields }) => {
        const body = method === "GET" ? undefined : { ...fields };
        return { operation: "listVmRentals", idempotent: true, base: "v2", key: true, method, path, body };
      },
      (request, options) => sendList(http, request, lists.listVmRentals, options),
      options,
    );

  /** Some services end things by another id, which only the record has. */
  async function externalIdOf(name: UndocumentedName, id: number, options: CallOptions = {}): Promise<string> {
    const call = { signal: options.signal, deadline: options.deadline };
    const records =
      name === "terminateVmRental"
        ? await listVmRentals(call)
        : name === "terminateBareMetalRental"
          ? await list(http, "listBareMetalRentals", call)
          : (await list(http, "listStorageVolumes", call)).map((one) => ({ ...one, id: storageVolumeIdOf(one) }));
    const externalId = records.find((record) => record.id === id)?.externalId;
    if (externalId !== undefined) return externalId;
    const { method, path } = undocumentedOperations[name];
    const reason = `not sent: the service ends it by its externalId, and no list shows ${id} with one`;
    throw new errors.NotFoundError({ operation: name, method, path }, { reason });
  }

  async function findRentalType(rentalId: number, options: CallOptions = {}) {
    const call = { signal: options.signal, deadline: options.deadline };
    const rentals = await list(http, "listBareMetalRentals", call);
    return rentals.some((rental) => rental.id === rentalId) ? "bare-metal" : "virtual-machine";
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
    listVmRentals,
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
function place(
  { method, path, idField, idForm = {}, fields: constants }: ResolvedOperation,
  id: number | string,
  fields: object,
) {
  const one = idForm.isText ? String(id) : id;
  const carried = idField === undefined ? {} : { [idField]: idForm.isList ? [one] : one };
  const body = { ...constants, ...carried, ...fields };
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
  return unavailableError(error, { status: error.status, reason: error.reason, cause: error }, name);
}

/** Whether the service does not take this form: not where it speaks of the object, or where what became of the request is not known. */
function isWrongForm(error: unknown): boolean {
  if (isAboutForm(error)) return true;
  if (!(error instanceof errors.ServiceError)) return false;
  return error.status === 405 || (error.status === 404 && !saysObjectIsMissing(error.reason));
}

function unavailableError(
  call: errors.FailedCall,
  detail: Omit<errors.FailureDetail, "advice">,
  name: UndocumentedName,
): errors.OperationUnavailableError {
  return new errors.OperationUnavailableError(call, detail, name, !isList(name));
}

function isList(name: UndocumentedName): boolean {
  return undocumentedOperations[name].idField === undefined;
}

function adviceOnList(name: UndocumentedName, { kind }: ResolvedOperation): string {
  const what = kind === "configured" ? `Check ${name}` : `If it stays like this, configure ${name}`;
  return `${what} in gpufleet:operations.`;
}

/** A 404 page for an operation that the service itself describes comes from a proxy, perhaps for a moment only. */
function isProxyPage(error: unknown, { kind }: ResolvedOperation): error is errors.NotFoundError {
  return error instanceof errors.NotFoundError && error.fromPage && kind === "described";
}

/** The same as an answer that the next request may not get. */
function mayPass(error: errors.ServiceError, advice?: string): errors.UnreadableAnswerError {
  const { operation, method, path, status, reason, cause } = error;
  return new errors.UnreadableAnswerError({ operation, method, path }, { status, reason, cause, advice });
}
