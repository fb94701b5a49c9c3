import { createdEntry } from "../../../../cli/commands/recover/stateEntry";
import { hasSecret, unwrapSecrets } from "../../../../cli/stack/secrets";
import { managed, resourceOf } from "./interrupted";

const signature = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };
const closed = { ...signature, ciphertext: "v1:abc:def" };
const open = { ...signature, plaintext: '{"size":8}' };

describe("Secrets in the state", () => {
  test("are found however deep they lie, and opened where they were exported in clear text", () => {
    expect(hasSecret({ ports: [{ to: closed }] })).toBe(true);
    expect(hasSecret({ ports: [{ to: 1 }], none: null })).toBe(false);
    expect(unwrapSecrets({ ports: [{ to: open }], region: "x" })).toEqual({
      ports: [{ to: { size: 8 } }],
      region: "x",
    });
    expect(() => unwrapSecrets(closed)).toThrow("was not exported in clear text");
  });

  test("stay closed in the outputs of what is recovered", () => {
    const inputs = { customPorts: { size: 8 }, gpuCount: 1 };
    const subject = {
      ...managed("VmRental", "head", inputs),
      resource: resourceOf("VmRental", "head", { customPorts: closed, gpuCount: 1 }),
    };
    const made = {
      kind: "created",
      id: "1",
      outputs: { ...inputs, status: "Running" },
      description: "",
      isPending: false,
    } as const;
    const entry = createdEntry(subject, made, new Date(0));
    expect(entry).toMatchObject({ id: "1", inputs: { customPorts: closed }, outputs: { status: "Running" } });
    expect(entry.outputs?.["customPorts"]).toEqual(closed);
  });
});
