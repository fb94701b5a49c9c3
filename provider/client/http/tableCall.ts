import type { z } from "zod";
import type { Operation } from "../../service";
import type { Call, Http } from "./http";

/** A call to an operation of the table, its request checked. */
export function callTo<Response extends z.ZodType>(
  http: Http,
  name: string,
  operation: Operation<z.ZodType, Response>,
  request: unknown,
): Call<Response> {
  const { method, path, base, key, idempotent, response } = operation;
  const call = { operation: name, method, path, base, key, idempotent, response };
  return { ...call, body: operation.request === undefined ? undefined : http.check(call, operation.request, request) };
}
