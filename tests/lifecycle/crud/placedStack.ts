/** Stacks of every kind that another address, account or key comes upon. */
import { FakeEngine, type Program } from "../fakeEngine";
import { createRig, type Surroundings } from "../rig";
import { changingList, type Item } from "../wire";

export const fields = { networkType: "infiniband", gpuCount: 8 };
export const train = { type: "BareMetalRental", inputs: fields };
export const box = { type: "VmRental", inputs: { gpuCount: 1 } };
export const data = { type: "StorageVolume", inputs: { region: "us-central-1", sizeInGb: 256 } };
export const bargain = { type: "MarketplaceInstance", inputs: { gpuCount: 1, select: {} } };
export const link = {
  type: "VolumeAttachment",
  inputs: (ids: Readonly<Record<string, string>>) => ({
    storageVolumeId: Number(ids["data"]),
    rentalIds: [Number(ids["train"])],
  }),
};
export const everything: Program = { train, box, data, bargain, link };
export const expiring: Program = {
  ...everything,
  train: { ...train, inputs: { ...fields, expiresAt: "8h" } },
};

export async function running(program: Program) {
  const rig = createRig();
  const stack = new FakeEngine(rig);
  expect((await stack.up(program)).errors).toEqual({});
  rig.clock.advance(3600);
  const before = structuredClone([...stack.state]);
  const asked = rig.emulator.requests().total;
  return { rig, stack, before, asked };
}

/** Another account: its lists hold these instead, whose ids may be the same. */
export function account(
  path: string,
  change: (item: Item) => Item,
  service: Surroundings["service"] = { key: "other" },
) {
  return { wire: changingList(path, (items) => items.map(change)), service };
}
