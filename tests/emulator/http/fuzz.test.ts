import fc from "fast-check";
import { operations } from "../../../provider/service";
import { cases } from "../../contract/cases";
import { conformanceOf } from "../description";
import { createRig } from "../rig";

/** Whatever is sent: never a 5xx, never an answer or a status that is not described. */

const strange = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -0,
    -1,
    1.5,
    1e308,
    -1e308,
    2 ** 53,
    2 ** 31,
    "",
    "\u0000",
    "\ud800",
    "💥",
    [],
    {},
  ),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.jsonValue({ maxDepth: 3 }),
);
const odd = fc.constantFrom("__proto__", "constructor", "toString", "a.b", "[0]", "");

/** A well-formed request of some operation, with a few of its fields spoilt. */
const spoilt = fc
  .record({
    base: fc.constantFrom(...cases.filter(({ accepted }) => accepted)),
    with: fc.array(fc.tuple(fc.nat(20), strange), { maxLength: 3 }),
    more: fc.option(fc.tuple(odd, strange)),
  })
  .map(({ base, with: replaced, more }) => {
    const fields = new Map<string, unknown>(Object.entries(base.request ?? {}));
    for (const [index, value] of replaced) {
      const name = [...fields.keys()][index % Math.max(1, fields.size)];
      if (name !== undefined) fields.set(name, value);
    }
    if (more) fields.set(...more);
    const parts = [...fields].map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
    return { operation: base.operation, text: `{${parts.join(",")}}` };
  });

/** Not even JSON. */
const noise = fc
  .record({
    base: fc.constantFrom(...cases),
    text: fc.oneof(fc.string({ unit: "binary" }), fc.json(), fc.constant("[".repeat(50_000))),
  })
  .map(({ base, text }) => ({ operation: base.operation, text }));

test("no request, however odd, is answered outside the description", async () => {
  const rig = createRig({ provisionSeconds: 0, endSeconds: 0 });
  const conformance = await conformanceOf(rig);
  await fc.assert(
    fc.asyncProperty(
      fc.oneof({ weight: 4, arbitrary: spoilt }, { weight: 1, arbitrary: noise }),
      async ({ operation, text }) => {
        const { method, path } = operations[operation];
        const reply = await rig.call(method, path, text, { "content-type": "application/x-odd" });
        expect(reply.status).toBeLessThan(500);
        if (reply.headers["content-type"] === "text/event-stream") return;
        expect(conformance.problemOf(method, path, reply)).toBeUndefined();
      },
    ),
    { numRuns: 1500, seed: 1 },
  );
  // What got through is still readable.
  for (const operation of [operations.listBareMetalRentals, operations.listStorageVolumes, operations.getBalance]) {
    const reply = await rig.call(operation.method, operation.path);
    expect(operation.response.safeParse(reply.body).error).toBeUndefined();
  }
});
