import { BareMetalRental } from "pulumi-gpufleet";

// Pulumi.yaml says `refresh: always`: every `up` looks at the service first, and makes anew what is gone or has failed.
const nodes = ["node-0", "node-1", "node-2"].map(
  (name) => new BareMetalRental(name, { networkType: "infiniband", gpuCount: 8 }),
);

export const rentalIds = nodes.map((node) => node.rentalId);
export const ssh = nodes.map((node) => node.sshCommand);
