import { ConnectionError, createClient, InvalidRequestError, TransportError } from "../../provider/client";
import { operations } from "../../provider/service";
import { cases } from "../contract/cases";
import { methodOf } from "./localService";

/** Whether the request left the client, without anybody to answer it. */
async function trySending(operation: keyof typeof operations, request: unknown) {
  let sent: string | undefined;
  const client = createClient({
    baseUrl: "http://127.0.0.1:1",
    transport: async ({ body }) => {
      sent = body ?? "";
      throw new TransportError("nobody is there", { sent: "no", permanent: true });
    },
  });
  const call = methodOf(client, operation);
  const error = await (request === undefined ? call() : call(request)).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return { sent, error };
}

describe("what the interface allows is sent, and what it does not is refused before anything is sent", () => {
  test.each(cases)("$name", async ({ operation, request, accepted, field }) => {
    const { sent, error } = await trySending(operation, request);
    if (accepted) {
      // An empty list of request ids needs nothing sent.
      if (sent === undefined) expect(request).toEqual({ requestIds: [] });
      else expect(error).toBeInstanceOf(ConnectionError);
    } else {
      expect(sent).toBeUndefined();
      expect(error).toBeInstanceOf(InvalidRequestError);
      const named = error instanceof InvalidRequestError ? error.problems.map((problem) => problem.property) : [];
      expect(named.join()).toContain(field);
    }
  });

  test("every operation has cases", () => {
    expect(new Set(cases.map(({ operation }) => operation))).toEqual(new Set(Object.keys(operations)));
  });

  test("every field of every request schema has cases", () => {
    for (const [name, { request }] of Object.entries(operations)) {
      const fields = request && "shape" in request ? Object.keys(request.shape) : [];
      const covered = cases.flatMap(({ operation, field }) =>
        operation === name && field ? [field.split(/[.[]/)[0]] : [],
      );
      expect({ name, missing: fields.filter((field) => !covered.includes(field)) }).toEqual({ name, missing: [] });
    }
  });
});
