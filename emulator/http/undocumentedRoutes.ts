import { z } from "zod";
import {
  type UndocumentedName,
  type UndocumentedOperation,
  undocumentedOperations,
  vmRentalList,
} from "../../provider/service";
import { deleteStorageVolume, detachStorageVolume, endRental, listVmRentals } from "../nouns";
import { Refusal } from "../refusal";
import type { Call, World } from "../state";
import { namesOf } from "./names";
import type { Route } from "./route";
import { parse } from "./validation";

const done = z.looseObject({ message: z.string() });
const noExtras = z.strictObject({ reason: z.string().optional() });
const rentalIds = z.strictObject({ rentalIds: z.array(z.int()).min(1) });

/** What a route has beyond what its operation says. */
type Handling = Pick<Route, "request" | "response" | "handle">;

/** One per operation, whether the dialect has it or not: one that is missing does not compile. */
type Handlings = { [Name in UndocumentedName]: (operation: UndocumentedOperation) => Handling };

/** The operations that the interface does not show, in the forms that the dialect gives them. */
export function undocumentedRoutes(world: World): Route[] {
  const handlings: Handlings = {
    terminateBareMetalRental: (operation) =>
      onId(operation, noExtras, (call, id) => endRental(world, call, "bare-metal", id)),
    terminateVmRental: (operation) =>
      onId(operation, noExtras, (call, id) => endRental(world, call, "virtual-machine", id)),
    listVmRentals: () => ({
      request: undefined,
      response: vmRentalList,
      handle: async (call) => listVmRentals(world, call),
    }),
    deleteStorageVolume: (operation) => onId(operation, noExtras, (call, id) => deleteStorageVolume(world, call, id)),
    detachStorageVolume: (operation) =>
      onId(operation, rentalIds, (call, id, body) =>
        detachStorageVolume(world, call, id, parse(rentalIds.strip(), body).rentalIds),
      ),
  };
  return namesOf(undocumentedOperations).flatMap((name) => {
    const operation = world.dialect.operations[name];
    if (!operation) return [];
    const { summary, method, path } = operation;
    const errors = [400, 401, 403, 404, 500];
    const handling = handlings[name](operation);
    const isEnd = operation.idField !== undefined || operation.path.includes("{id}");
    const handle: Route["handle"] =
      isEnd && world.dialect.endAnswer === "nothing"
        ? async (call, input) => {
            await handling.handle(call, input);
            return new Response(null, { status: 204 });
          }
        : handling.handle;
    return [{ name, summary, method, path, key: true, errors, ...handling, handle }];
  });
}

/** An operation on one object, whose id comes in the path or in the body under the dialect's name. */
function onId(
  { idField }: UndocumentedOperation,
  extras: z.ZodObject,
  handler: (call: Call, id: number, body: unknown) => unknown,
): Handling {
  if (idField === undefined) {
    return { request: undefined, response: done, handle: async (call, { id }) => handler(call, readPathId(id), {}) };
  }
  const request = extras.extend({ [idField]: z.int() });
  const handle: Route["handle"] = async (call, input) => {
    const body = parse(request, await input.readBody());
    return handler(call, z.int().parse(body[idField]), body);
  };
  return { request, response: done, handle };
}

function readPathId(id: string | undefined): number {
  if (id === undefined || !/^\d{1,15}$/.test(id)) throw new Refusal(404, "not found");
  return Number(id);
}
