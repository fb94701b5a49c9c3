import { VmRental } from "pulumi-gpufleet";

// The program knows nothing of where the state is kept: PULUMI_BACKEND_URL says that.
const shared = ["alice", "bob"].map((name) => new VmRental(`${name}-box`, { gpuCount: 1 }));

export const ssh = shared.map((box) => box.sshCommand);
