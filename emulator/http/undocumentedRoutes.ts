import { z } from "zod";
import { type UndocumentedName, type UndocumentedOperation, vmRentalList } from "../../provider/service";
import { deleteStorageVolume, detachStorageVolume, endRental, listVmRentals } from "../nouns";
import { Refusal } from "../refusal";
import type { Call, World } from "../state";
import type { Input, Route } from "./route";
import { parse } from "./validation";

const done = z.looseObject({ message: z.string() });
const noExtras = z.strictObject({ reason: z.string().optional() });
const rentalIds = z.array(z.int()).min(1);

type Handler = (call: Call, id: number, request: { rentalIds?: number[] | undefined }) => unknown;

/** The operations that the interface does not show, in the forms that the dialect gives them. */
export function undocumentedRoutes(world: World): Route[] {
  const { operations } = world.dialect;
  const handlers: Record<Exclude<UndocumentedName, "listVmRentals">, { extras: z.ZodObject; handler: Handler }> = {
    terminateBareMetalRental: { extras: noExtras, handler: (call, id) => endRental(world, call, "bare-metal", id) },
    terminateVmRental: { extras: noExtras, handler: (call, id) => endRental(world, call, "virtual-machine", id) },
    deleteStorageVolume: { extras: noExtras, handler: (call, id) => deleteStorageVolume(world, call, id) },
    detachStorageVolume: {
      extras: z.strictObject({ rentalIds }),
      handler: (call, id, request) => detachStorageVolume(world, call, id, request.rentalIds ?? []),
    },
  };
  const lists = operations.listVmRentals
    ? [route("listVmRentals", operations.listVmRentals, vmRentalList, async (call) => listVmRentals(world, call))]
    : [];
  const ends = Object.entries(handlers).flatMap(([name, { extras, handler }]) => {
    const operation = Object.entries(operations).find(([known]) => known === name)?.[1];
    return operation ? [endRoute(name, operation, extras, handler)] : [];
  });
  return [...lists, ...ends];
}

function route(name: string, operation: UndocumentedOperation, response: z.ZodType, handle: Route["handle"]): Route {
  const { method, path, summary } = operation;
  return {
    name,
    summary,
    method,
    path,
    key: true,
    request: undefined,
    response,
    errors: [400, 401, 403, 404, 500],
    handle,
  };
}

/** An operation on one thing, whose id comes in the path or in the body under the dialect's name. */
function endRoute(name: string, operation: UndocumentedOperation, extras: z.ZodObject, handler: Handler): Route {
  const { idField } = operation;
  if (idField === undefined) {
    return route(name, operation, done, async (call, input) => handler(call, pathId(input), {}));
  }
  const request = extras.extend({ [idField]: z.int() });
  const fields = z.object({ [idField]: z.int() });
  return {
    ...route(name, operation, done, async (call, input) => {
      const body = parse(request, await input.readBody());
      const id = fields.parse(body)[idField];
      if (id === undefined) throw new Refusal(400, `${idField}: is missing`);
      return handler(call, id, z.object({ rentalIds: rentalIds.optional() }).parse(body));
    }),
    request,
  };
}

function pathId({ id }: Input): number {
  if (id === undefined || !/^\d{1,15}$/.test(id)) throw new Refusal(404, "not found");
  return Number(id);
}
