const virtualMachine = [
  "us-central-1",
  "us-central-2",
  "eu-north-2",
  "eu-west-2",
  "eu-north-4",
  "eu-north-5",
  "us-east-1",
  "us-east-2",
  "ca-east-3",
  "eu-north-6",
  "eu-north-7",
  "eu-north-8",
  "ca-west-1",
  "ca-east-1",
  "us-central-3",
  "us-southeast-1",
  "me-central-1",
  "ca-east-2",
  "eu-west-1",
  "us-southeast-2",
  "jp-east-1",
  "mock-region",
] as const;

const bareMetalOnly = [
  "uk-central-3",
  "uk-southeast-3",
  "eu-southwest-3",
  "eu-southwest-3-1",
  "eu-west-3",
  "eu-west-4",
] as const;

/** The four region sets of the interface, and the one of storage-volume creation that joins two of them. */
export const regions = {
  /** Rental records. */
  all: [...virtualMachine, ...bareMetalOnly, "private-cloud"],
  virtualMachine,
  bareMetal: ["us-central-1", ...bareMetalOnly],
  /** Storage-volume records: everything but `private-cloud`. */
  storageVolumeRecord: [...virtualMachine, ...bareMetalOnly],
  /** Storage-volume creation: where a VM or a bare-metal node can be. */
  storageVolume: [...virtualMachine, ...bareMetalOnly],
} as const;

/** Regions of the interface that are for its makers' own tests: taken where they are given, and offered to nobody. */
const internal: readonly string[] = ["mock-region"];

/** What to offer of these values. */
export function offered<Value>(values: readonly Value[]): Value[] {
  return values.filter((value) => !internal.includes(String(value)));
}

export const defaultRegion = "us-central-1";
