import { createRig } from "../../lifecycle/rig";

const node = { networkType: "infiniband" as const, gpuCount: 8 };

test("The id of what has ended goes to a new one, with another label and nothing attached", async () => {
  const rig = createRig();
  const { client, clock, emulator } = rig;
  const rental = await rig.run(client.createBareMetalRental({ ...node, label: "ours" }));
  const vm = await rig.run(client.createVmRental({ gpuCount: 1, label: "ours" }));
  const { storageVolumeId } = await rig.run(
    client.createStorageVolume({ region: "us-central-1", sizeInGb: 256, label: "data", rentalIds: [rental.id] }),
  );
  expect(() => emulator.reuseId("bare-metal", rental.id, "theirs")).toThrow(
    `bare-metal ${rental.id} has not ended, so its id is not free`,
  );
  await rig.run(client.terminateRental({ rentalType: "bare-metal", rentalId: rental.id }));
  await rig.run(client.terminateRental({ rentalType: "virtual-machine", rentalId: vm.id }));
  clock.advance(60);
  emulator.reuseId("bare-metal", rental.id, "theirs");
  emulator.reuseId("virtual-machine", vm.id, "theirs");
  const [again] = await rig.run(client.listBareMetalRentals());
  expect(again).toMatchObject({ id: rental.id, label: "theirs", status: "Running", attachedStorage: [] });
  expect(again?.createdAt).not.toBe(rental.createdAt);
  await rig.run(client.deleteStorageVolume({ storageVolumeId }));
  clock.advance(60);
  emulator.reuseId("storage-volume", storageVolumeId, "theirs");
  expect(await rig.run(client.listStorageVolumes())).toMatchObject([{ label: "theirs", attachedRentals: [] }]);
  expect(emulator.state().map(({ label, billing }) => [label, billing])).toEqual([
    ["theirs", true],
    ["theirs", true],
    ["theirs", true],
  ]);
});
