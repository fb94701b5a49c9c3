import { decryptedInputsOf } from "../../../../cli/commands/recover/decryptedInputs";
import { Stack } from "../../../../cli/stack/stack";
import type { State } from "../../../../cli/stack/state";
import { withoutKeys } from "../../../../cli/terminal";
import { creating, stateWith } from "./interrupted";

const marked = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };
const closed = { ...marked, ciphertext: "v1:abc" };
const open = (value: unknown) => ({ ...marked, plaintext: JSON.stringify(value) });

/** A stack that shows this where secrets are asked for. */
class KnownStack extends Stack {
  constructor(private readonly opened: State) {
    super({ cwd: "/" });
  }

  override async exportState() {
    return this.opened;
  }
}

describe("Inputs that were decrypted", () => {
  test("are read, and are in nothing that the command says", async () => {
    const stateOf = (label: unknown, volume: unknown) =>
      stateWith([], [creating("BareMetalRental", "train", { gpuCount: 8, label, storageVolume: volume })]);
    const state = stateOf(closed, { label: closed, region: "us-east-1" });
    const opened = stateOf(open("top-secret-1"), { label: open("top-secret-2"), region: "us-east-1" });
    const readInputs = await decryptedInputsOf(new KnownStack(opened), state);
    const [operation] = state.deployment.pending_operations ?? [];
    expect(operation && readInputs(operation.resource)).toEqual({
      gpuCount: 8,
      label: "top-secret-1",
      storageVolume: { label: "top-secret-2", region: "us-east-1" },
    });
    expect(withoutKeys('no live rental "top-secret-1" with "top-secret-2" in us-east-1')).toBe(
      'no live rental "[redacted]" with "[redacted]" in us-east-1',
    );
  });
});
