import type { z } from "zod";
import type { Operation } from "../../service";
import type { Call, Http } from "./http";

/** A call to an operation of the table, its request checked. */
export function callTo<Read extends z.ZodType>(
  http: Http,
  name: string,
  operation: Operation<z.ZodType, z.ZodType, Read>,
  request: unknown,
): Call<Read> {
  const { method, path, base, key, idempotent, read: response } = operation;
  const call = { operation: name, method, path, base, key, idempotent, response };
  return { ...call, body: operation.request === undefined ? undefined : http.check(call, operation.request, request) };
}
