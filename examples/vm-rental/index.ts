import { VmRental } from "pulumi-gpufleet";

const notebook = new VmRental("notebook", {
  gpuCount: 1,
  gpuType: "h100",
  region: "us-east-1",
  customPorts: [8888],
  // Not only started: somebody answers on the ssh port.
  waitForSsh: true,
});

export const ssh = notebook.sshCommand;
