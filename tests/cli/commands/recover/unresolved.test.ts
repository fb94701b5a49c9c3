import { unresolvedEntry } from "../../../../cli/commands/recover/stateEntry";
import { createRig } from "../../../lifecycle/rig";
import { checked, getHandler, managed, post } from "./interrupted";

const type = "BareMetalRental";

/** A create with a label that the user chose was killed, and recover could not tell whether it made the machine that is there. */
async function leaveUnresolved() {
  const rig = createRig();
  const asked = checked(rig.startProvider(), type, "train", { gpuCount: 8, networkType: "ethernet", label: "train" });
  await rig.run(post(rig, type, asked));
  const { id = "", outputs = {} } = unresolvedEntry(
    managed(type, "train", asked),
    { fingerprint: "train", isChosenLabel: true },
    new Date(rig.clock.now()),
  );
  return { rig, asked, id, outputs, handler: getHandler(type) };
}

describe("A resource that recover has left unresolved, for want of proof", () => {
  test("has the next up refused, with the machine named, instead of taking it or renting another", async () => {
    const { rig, asked, id, outputs, handler } = await leaveUnresolved();
    const runtime = rig.startProvider();
    expect(handler.diff(runtime, id, outputs, asked)).toMatchObject({ replaces: ["id"] });
    await expect(rig.run(handler.create(runtime, asked))).rejects.toThrow(
      /"train" \(.*\) may be it; nothing proves it.*gpufleet recover --adopt \d+ --urn .*gpufleet recover --nothing-made --urn /,
    );
    expect(rig.billing()).toHaveLength(1);
  });

  test("has destroy refused, with the machine named, instead of ending what may be another's", async () => {
    const { rig, id, outputs, handler } = await leaveUnresolved();
    await expect(rig.run(handler.delete(rig.startProvider(), id, outputs))).rejects.toThrow(
      "may be it; nothing proves it, so nothing was taken or ended",
    );
    expect(rig.billing()).toHaveLength(1);
  });
});
