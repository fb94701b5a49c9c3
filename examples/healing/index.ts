import { GpuFleet } from "pulumi-gpufleet";

// With `refresh: always` in Pulumi.yaml, every `up` replaces the members that failed or are gone.
const fleet = new GpuFleet("node", {
  kind: "bare-metal",
  count: 3,
  regions: ["us-central-1"],
  gpuCount: 8,
  networkType: "infiniband",
});

export const rentalIds = fleet.rentals.map((rental) => rental.rentalId);
export const sshConfig = fleet.sshConfig;
