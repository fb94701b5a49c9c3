import { VmRental } from "pulumi-gpufleet";

// Where the state is kept is not part of the program: PULUMI_BACKEND_URL says it.
const shared = ["alice", "bob"].map((name) => new VmRental(`${name}-box`, { gpuCount: 1 }));

export const ssh = shared.map((box) => box.sshCommand);
