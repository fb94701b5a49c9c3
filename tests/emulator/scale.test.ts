import { createRig, paths } from "./rig";
import { typed } from "./typed";

const fleet = 2000;

/** Makes, lists, looks at and ends rentals that share a volume. Returns the processor time that each of them took. */
async function live(count: number): Promise<number> {
  const rig = createRig();
  const { createBareMetal, createVolume, endBareMetal, listBareMetal, listVolumes, billing } = typed(rig);
  const started = process.cpuUsage();
  const { storageVolumeId } = await createVolume();
  const ids: number[] = [];
  for (let made = 0; made < count; made++) {
    const storageVolume = { isNew: false, id: storageVolumeId } as const;
    ids.push((await createBareMetal({ label: `worker-${made}`, storageVolume })).id);
  }
  rig.emulator.clock.advance(60);
  expect(await listBareMetal()).toHaveLength(count);
  expect(await listVolumes()).toMatchObject([{ attachedRentals: ids }]);
  expect(billing()).toHaveLength(count + 1);
  for (let looks = 0; looks < 20; looks++) await rig.ok("GET", paths.bareMetal);
  for (const id of ids) await endBareMetal(id);
  rig.emulator.clock.advance(60);
  expect(await listBareMetal()).toEqual([]);
  return process.cpuUsage(started).user / count;
}

test("of two thousand rentals that share a volume none takes much more than one of two hundred", async () => {
  const [few, many] = [await live(fleet / 10), await live(fleet)];
  // Ten times as much each, if every request went through all of them.
  expect(many / few).toBeLessThan(4);
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
