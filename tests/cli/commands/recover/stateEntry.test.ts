import { createdEntry } from "../../../../cli/commands/recover/stateEntry";
import { hasSecret, unwrapSecrets } from "../../../../cli/stack/secrets";
import { keepSecret } from "../../../../cli/terminal";
import { managed, resourceOf } from "./interrupted";

const signature = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };
const closed = { ...signature, ciphertext: "v1:abc:def" };
const open = { ...signature, plaintext: '{"size":8}' };

describe("What is recovered", () => {
  const made = {
    kind: "created",
    id: "1001",
    outputs: { gpuCount: 8, status: "Running", ssh: [{ host: "10.0.0.1", port: 22, user: "ubuntu" }] },
    description: "",
    isPending: false,
  } as const;
  const subject = managed("BareMetalRental", "train", { gpuCount: 8 });

  test("has what the plugin derives if it is the plugin's", () => {
    const type = "gpufleet:index:BareMetalRental";
    const urn = `urn:pulumi:dev::fleet::${type}::train`;
    const { outputs } = createdEntry({ ...subject, resource: { ...subject.resource, type, urn } }, made, new Date(0));
    expect(outputs).toMatchObject({
      ...made.outputs,
      rentalId: 1001,
      sshConfig: expect.stringContaining("10.0.0.1"),
      connection: { host: "10.0.0.1", user: "ubuntu" },
    });
  });

  test("has no more than a dynamic resource writes if it is one", () => {
    expect(createdEntry(subject, made, new Date(0)).outputs).toEqual(made.outputs);
  });

  test("has no key of an account in what the service says of it, and keeps what the program says", () => {
    const key = "key-4711-of-the-account";
    keepSecret(key);
    const asked = { ...managed("BareMetalRental", "train", { label: key }) };
    const echoing = { label: key, status: `Running for ${key}`, ssh: [{ host: `${key}.example`, user: "ubuntu" }] };
    expect(createdEntry(asked, { ...made, outputs: echoing }, new Date(0)).outputs).toEqual({
      label: key,
      status: "Running for [redacted]",
      ssh: [{ host: "[redacted].example", user: "ubuntu" }],
    });
  });
});

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

  test("stay closed where the service shows them otherwise, and where it is noted how they were asked for", () => {
    const subject = {
      ...managed("VmRental", "head", { label: "my-secret" }),
      resource: resourceOf("VmRental", "head", { label: closed }),
    };
    const outputs = { label: "MY-SECRET", __asked: { label: "my-secret", region: null }, volume: { label: "data" } };
    const made = { kind: "created", id: "1", outputs, description: "", isPending: false } as const;
    expect(createdEntry(subject, made, new Date(0)).outputs).toEqual({
      label: closed,
      __asked: { label: closed, region: null },
      volume: { label: "data" },
    });
  });
});
