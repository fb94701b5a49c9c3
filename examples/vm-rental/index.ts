/**
 * A virtual machine
 *
 * A virtual machine with one GPU and an open port.
 *
 * `pulumi up` waits until ssh answers.
 */

import { VmRental } from "pulumi-gpufleet";

const notebook = new VmRental("notebook", {
  gpuCount: 1,
  gpuType: "h100",
  region: "us-east-1",
  customPorts: [8888],
  // Wait until ssh answers, not only until the machine has started.
  waitForSsh: true,
});

export const ssh = notebook.sshCommand;
