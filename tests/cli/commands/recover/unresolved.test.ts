import { unresolvedEntry } from "../../../../cli/commands/recover/stateEntry";
import { noteUnasked, noteUnresolved } from "../../../../cli/commands/recover/unresolvedNotes";
import type { StateResource } from "../../../../cli/stack/state";
import { createRig, paths } from "../../../lifecycle/rig";
import { checked, getHandler, managed, post, runningAt, urnOf } from "./interrupted";

const type = "BareMetalRental";

/** A create with a label that the user chose was killed, and recover could not tell whether it made the machine that is there. */
async function leaveUnresolved() {
  const rig = createRig();
  const asked = checked(rig.startProvider(), type, "train", { gpuCount: 8, networkType: "ethernet", label: "train" });
  await rig.run(post(rig, type, asked));
  const { id = "", outputs = {} } = unresolvedEntry(
    managed(type, "train", asked),
    { fingerprint: "train", isChosenLabel: true, since: 0 },
    runningAt(rig.clock.now()),
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
      "may be it; nothing proves it, so nothing was taken over or terminated",
    );
    expect(rig.billing()).toHaveLength(1);
  });
});

describe("A create that is unresolved in the state is named by recover,", () => {
  const urn = urnOf(type, "train");
  const settle = (id: string | number) =>
    `If it is: \`gpufleet recover --adopt ${id} --urn '${urn}'\`. If nothing was created: \`gpufleet recover --nothing-made --urn '${urn}'\`.`;

  function unresolved(label?: string, options: Parameters<typeof createRig>[0] = {}) {
    const rig = createRig(options);
    const asked = checked(rig.startProvider(), type, "train", {
      gpuCount: 8,
      networkType: "ethernet",
      ...(label !== undefined && { label }),
    });
    const fingerprint = { fingerprint: String(asked["label"]), isChosenLabel: label !== undefined, since: 0 };
    const entry = unresolvedEntry(managed(type, "train", asked), fingerprint, runningAt(rig.clock.now()));
    const unknown = `BareMetalRental "train": it is unknown what its create has created (${entry.id}).`;
    const note = async (one: StateResource = entry) => {
      const said = await rig.run(noteUnresolved(rig.startProvider(), one, ({ inputs = {} }) => inputs));
      expect(said.startsWith(`${unknown} `)).toBe(true);
      return said.slice(unknown.length + 1);
    };
    return { rig, asked, entry, unknown, note };
  }

  test("with what may be its result, the price and the two commands that settle it, as `pulumi up` does", async () => {
    const { rig, asked, entry, note } = unresolved("train");
    const { id } = await rig.run(post(rig, type, asked));
    const found = `Bare-metal rental ${id} "train" (Pending, 8×h100 in us-central-1, $19.92/h, for 0s) may be it; nothing proves it, so nothing was taken over or terminated.`;
    expect(await note()).toBe(`${found} ${settle(id)}`);
    expect(await note({ ...entry, delete: true })).toBe(
      `${found} ${settle(id)} With --adopt, one of the two is kept and the next \`pulumi up\` deletes the other: --dry-run shows which, and what is lost with it.`,
    );
    const renamed = urn.replace(":dev:", ":prod:");
    expect(await note({ ...entry, urn: renamed })).toContain(`--adopt ${id} --urn '${renamed}'`);
  });

  test("with what its automatic label proves, which needs nobody", async () => {
    const { rig, asked, entry, note } = unresolved();
    const { id } = await rig.run(post(rig, type, asked));
    const made = `It has created bare-metal rental ${id} "${asked["label"]}" (Pending, 8×h100 in us-central-1, $19.92/h, for 0s), which the next \`pulumi up\``;
    expect(await note()).toBe(`${made} takes over.`);
    expect(await note({ ...entry, delete: true })).toBe(`${made} ends.`);
  });

  test.each(["train", undefined])("after one look where nothing is listed (label: %s)", async (label) => {
    const { rig, note } = unresolved(label);
    const before = rig.clock.now();
    expect(await note()).toBe(
      `Nothing listed now may be it. \`pulumi up\` looks until the lists can no longer lag, and concludes that nothing was created if none appears. If you know that nothing was created: \`gpufleet recover --nothing-made --urn '${urn}'\`.`,
    );
    expect(rig.clock.now() - before).toBeLessThan(5_000);
  });

  test("also where the list fails, where there is none, and where nobody can be asked", async () => {
    const failing = unresolved("train");
    failing.rig.fault({ match: { method: "GET", path: paths.bareMetal }, times: 100, kind: "status", status: 500 });
    const rest = "`pulumi up` looks for it, and says how to settle it if that is not enough.";
    expect(await failing.note()).toMatch(
      /^It could not be looked for: GET .* answered 500.*\. `pulumi up` looks for it/,
    );
    expect(noteUnasked(failing.entry)).toBe(`${failing.unknown} ${rest}`);
  });
});
