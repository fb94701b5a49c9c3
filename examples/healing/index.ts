import { GpuFleet } from "pulumi-gpufleet";

// Pulumi.yaml says `refresh: always`: every `up` looks at the service first, and makes anew what is gone or has failed.
const fleet = new GpuFleet("node", {
  kind: "bare-metal",
  count: 3,
  regions: ["us-central-1"],
  gpuCount: 8,
  networkType: "infiniband",
});

export const rentalIds = fleet.rentals.map((rental) => rental.rentalId);
export const sshConfig = fleet.sshConfig;
