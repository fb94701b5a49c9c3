import { z } from "zod";
import { operations } from "../../../provider/service";
import { cases } from "../../contract/cases";
import { conformanceOf } from "../description";
import { createRig } from "../rig";

/** What the emulator may say to a request that is well formed and cannot be carried out: it refers to something that is not there. */
const notFound = /^(\w+: )?[a-z][\w -]* not found$/;

const refusal = z.object({ error: z.object({ message: z.string() }) });
const malformed = "invalid request: ";

describe("what the interface allows is understood, and what it does not is refused by the name of the field", () => {
  let conformance: Awaited<ReturnType<typeof conformanceOf>>;
  beforeAll(async () => {
    conformance = await conformanceOf(createRig());
  });

  test.each(cases)("$name", async ({ operation, request, accepted, field }) => {
    const rig = createRig();
    const { method, path } = operations[operation];
    const reply = await rig.call(method, path, request);
    expect(conformance.problemOf(method, path, reply)).toBeUndefined();
    if (accepted && reply.status === 200) return;
    const { message } = refusal.parse(reply.body).error;
    if (accepted) {
      expect(message).toMatch(notFound);
    } else {
      expect(reply.status).toBe(400);
      expect(message).toContain(`${malformed}${field}`);
      expect(rig.emulator.state()).toEqual([]);
    }
  });

  // The client asks in batches, so this one is not among the shared cases.
  test("getRequestCost refuses 101 ids", async () => {
    const { method, path } = operations.getRequestCost;
    const requestIds = Array.from({ length: 101 }, (_, index) => `id-${index}`);
    const reply = await createRig().call(method, path, { requestIds });
    expect(reply.status).toBe(400);
    expect(refusal.parse(reply.body).error.message).toContain(`${malformed}requestIds`);
  });
});
