import { createRig, paths } from "./rig";
import { typed } from "./typed";

const fleet = 2000;

test("two thousand rentals that share a volume are made, listed, looked at and ended in little time", async () => {
  const rig = createRig();
  const { createBareMetal, createVolume, endBareMetal, listBareMetal, listVolumes, billing } = typed(rig);
  const started = process.cpuUsage();
  const { storageVolumeId } = await createVolume();
  const ids: number[] = [];
  for (let made = 0; made < fleet; made++) {
    ids.push(
      (await createBareMetal({ label: `worker-${made}`, storageVolume: { isNew: false, id: storageVolumeId } })).id,
    );
  }
  rig.emulator.clock.advance(60);
  expect(await listBareMetal()).toHaveLength(fleet);
  expect(await listVolumes()).toMatchObject([{ attachedRentals: ids }]);
  expect(billing()).toHaveLength(fleet + 1);
  for (let looks = 0; looks < 20; looks++) await rig.ok("GET", paths.bareMetal);
  for (const id of ids) await endBareMetal(id);
  rig.emulator.clock.advance(60);
  expect(await listBareMetal()).toEqual([]);
  // Processor time, as other tests run at the same time: 4 to 6 s on a busy machine of two cores.
  expect(process.cpuUsage(started).user / 1e6).toBeLessThan(15);
}, 120_000);

test("two thousand running machines have two thousand ssh endpoints", async () => {
  const rig = createRig({ provisionSeconds: 0 });
  await rig.emulator.listen();
  const { createVm } = typed(rig);
  const ports = new Set<number | undefined>();
  for (let made = 0; made < fleet; made++) {
    const { providerData } = await createVm();
    ports.add(providerData?.sshNetworking?.[0]?.port);
  }
  expect(ports.size).toBe(fleet);
  expect(ports.has(22)).toBe(false);
  await rig.emulator.close();
});
