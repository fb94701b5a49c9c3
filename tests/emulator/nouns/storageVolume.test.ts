import { createRig, paths, refusal } from "../rig";
import { typed } from "../typed";

const attach = `${paths.volumes}/attach`;
const detach = `${paths.volumes}/detach`;
const remove = `${paths.volumes}/delete`;
const bad = (message: string) => refusal(400, "BAD_REQUEST", message);

describe("a storage volume", () => {
  test("is inactive, then active, then gone", async () => {
    const rig = createRig({ provisionSeconds: 60, endSeconds: 30 });
    const { createVolume, listVolumes, billing } = typed(rig);
    const { storageVolumeId, status } = await createVolume({ sizeInGb: 512 });
    expect(status).toBe("inactive");
    rig.emulator.clock.advance(60);
    expect(await listVolumes()).toMatchObject([{ id: 1, status: "active", sizeGb: 512, costPerHour: 0.0512 }]);
    await rig.ok("POST", remove, { storageVolumeId });
    expect(await listVolumes()).toMatchObject([{ id: 1, status: "inactive" }]);
    rig.emulator.clock.advance(30);
    expect(await listVolumes()).toEqual([]);
    expect(billing()).toEqual([]);
    expect(await rig.call("POST", remove, { storageVolumeId })).toMatchObject(bad("already deleted"));
  });

  test("that fails never becomes active", async () => {
    const rig = createRig();
    rig.emulator.faults.add({ match: { method: "POST", path: paths.volumes }, kind: "fail-provisioning" });
    await typed(rig).createVolume();
    rig.emulator.clock.advance(3600);
    expect(await typed(rig).listVolumes()).toMatchObject([{ status: "inactive", startedAt: null }]);
  });

  test("is attached and detached again without an error, but where the service refuses that", async () => {
    const statuses = async (dialect: "default" | "rich") => {
      const rig = createRig({ dialect });
      const { createBareMetal, createVolume } = typed(rig);
      const { id } = await createBareMetal();
      const { storageVolumeId } = await createVolume();
      const request = { storageVolumeId, rentalIds: [id] };
      const paths = [attach, attach, detach, detach];
      const answers: number[] = [];
      for (const path of paths) answers.push((await rig.call("POST", path, request)).status);
      return answers;
    };
    expect(await statuses("default")).toEqual([200, 200, 200, 200]);
    expect(await statuses("rich")).toEqual([200, 400, 200, 400]);
  });

  test("cannot be deleted while it is attached, nor before the rental has ended", async () => {
    const rig = createRig({ endSeconds: 10 });
    const { createBareMetal, createVolume, endBareMetal, listVolumes } = typed(rig);
    const { id } = await createBareMetal();
    const { storageVolumeId } = await createVolume({ rentalIds: [id] });
    const attached = bad(`storage volume 1 is attached to rental ${id}`);
    expect(await rig.call("POST", remove, { storageVolumeId })).toMatchObject(attached);
    await endBareMetal(id);
    expect(await rig.call("POST", remove, { storageVolumeId })).toMatchObject(attached);
    rig.emulator.clock.advance(10);
    expect(await listVolumes()).toMatchObject([{ attachedRentals: [] }]);
    expect(await rig.call("POST", remove, { storageVolumeId })).toMatchObject({ status: 200 });
  });
});

describe("attaching", () => {
  test("shows on the volume and on the rental, and ends by detaching", async () => {
    const rig = createRig();
    const { createBareMetal, createVolume, listVolumes, listBareMetal } = typed(rig);
    const [one, other] = [await createBareMetal(), await createBareMetal()];
    const { storageVolumeId } = await createVolume();
    expect(await rig.ok("POST", attach, { storageVolumeId, rentalIds: [one.id, other.id] })).toMatchObject({
      attachedRentalIds: [one.id, other.id],
    });
    const attached = [{ id: storageVolumeId, size_in_gb: 256, label: "data", vip: "10.0.0.1" }];
    expect(await listBareMetal()).toMatchObject([
      { attachedStorage: attached, meta: { attached_storage: attached } },
      { attachedStorage: attached },
    ]);
    await rig.ok("POST", detach, { storageVolumeId, rentalIds: [one.id] });
    expect(await listVolumes()).toMatchObject([{ attachedRentals: [other.id] }]);
    expect(await listBareMetal()).toMatchObject([{ attachedStorage: [] }, { attachedStorage: attached }]);
  });

  test("twice is the same as once", async () => {
    const rig = createRig();
    const { createBareMetal, createVolume, listVolumes } = typed(rig);
    const { id } = await createBareMetal();
    const { storageVolumeId } = await createVolume({ rentalIds: [id] });
    await rig.ok("POST", attach, { storageVolumeId, rentalIds: [id, id] });
    expect(await listVolumes()).toMatchObject([{ attachedRentals: [id] }]);
  });

  test("is for live bare-metal rentals in the volume's region, all of them or none", async () => {
    const rig = createRig();
    const { createBareMetal, createVm, createVolume, endBareMetal, listVolumes } = typed(rig);
    const good = (await createBareMetal()).id;
    const far = (await createBareMetal({ region: "eu-west-4" })).id;
    const vm = (await createVm()).id;
    const ended = (await createBareMetal()).id;
    await endBareMetal(ended);
    const { storageVolumeId } = await createVolume();
    const tryOn = (id: number) => rig.call("POST", attach, { storageVolumeId, rentalIds: [good, id] });
    expect(await tryOn(far)).toMatchObject(
      bad(`storage volume 1 is in us-central-1, but rental ${far} is in eu-west-4`),
    );
    expect(await tryOn(vm)).toMatchObject(bad(`rentalIds: rental ${vm} is not a bare-metal rental`));
    expect(await tryOn(ended)).toMatchObject(bad(`rentalIds: rental ${ended} is Terminating`));
    expect(await tryOn(7)).toMatchObject(bad("rentalIds: rental 7 not found"));
    expect(await listVolumes()).toMatchObject([{ attachedRentals: [] }]);
  });

  test("needs a volume that is there", async () => {
    const rig = createRig();
    const { createBareMetal, createVolume } = typed(rig);
    const { id } = await createBareMetal();
    const { storageVolumeId } = await createVolume();
    await rig.ok("POST", remove, { storageVolumeId });
    for (const volume of [storageVolumeId, 99]) {
      const reply = await rig.call("POST", attach, { storageVolumeId: volume, rentalIds: [id] });
      expect(reply).toMatchObject(bad(`storage volume ${volume} not found`));
    }
  });
});

describe("the volume of a bare-metal create", () => {
  test("that is new is made in the rental's region and attached to it", async () => {
    const { createBareMetal, listVolumes, billing } = typed(createRig());
    const storageVolume = { isNew: true, label: "scratch", sizeInGb: 300 };
    const { id, meta } = await createBareMetal({ region: "eu-west-4", storageVolume });
    expect(meta).toMatchObject({ attached_storage: [{ id: 1, label: "scratch", size_in_gb: 300 }] });
    expect(await listVolumes()).toMatchObject([{ id: 1, region: "eu-west-4", attachedRentals: [id] }]);
    expect(billing()).toHaveLength(2);
  });

  test("that exists is attached", async () => {
    const { createBareMetal, createVolume, listVolumes } = typed(createRig());
    const { storageVolumeId } = await createVolume();
    const { id } = await createBareMetal({ storageVolume: { isNew: false, id: storageVolumeId } });
    expect(await listVolumes()).toMatchObject([{ attachedRentals: [id] }]);
  });

  test("that cannot be attached leaves no rental behind", async () => {
    const rig = createRig();
    const wanted = { networkType: "infiniband", gpuCount: 8, storageVolume: { isNew: false, id: 42 } };
    expect(await rig.call("POST", paths.bareMetal, wanted)).toMatchObject(bad("storage volume 42 not found"));
    expect(rig.emulator.state()).toEqual([]);
  });
});
