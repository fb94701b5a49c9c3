/** What proxies do to creates, for each kind that has a label. */
import { type ProviderProcess, paths, type Rig } from "../rig";
import { sendingTwice } from "../wire";

export const train = { type: "BareMetalRental", inputs: { networkType: "infiniband", gpuCount: 8 } };
export const box = { type: "VmRental", inputs: { gpuCount: 1 } };
const data = { type: "StorageVolume", inputs: { region: "us-central-1", sizeInGb: 256 } };

export const kinds = [
  ["bare-metal rental", train, paths.bareMetal],
  ["virtual machine", box, paths.vm],
  ["storage volume", data, paths.volumes],
] as const;

/** A provider behind a proxy that sends the first create twice. */
export function sentTwice(rig: Rig, path: string, second: Parameters<typeof sendingTwice>[1]) {
  return rig.startProvider({}, { wire: sendingTwice(path, second) });
}

/** What it has warned of. */
export function warnings({ shown }: ProviderProcess): string[] {
  return shown.filter(({ kind }) => kind === "warning").map(({ text }) => text);
}
