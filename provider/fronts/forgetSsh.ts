import type { Runtime } from "../lifecycle";
import { forgetMachine, sshFilesOf } from "../shared/sshFiles";
import { aliasPrefix } from "../shared/sshHosts";

/** Takes a machine that has ended out of `~/.ssh/gpufleet`. That it cannot is no reason to call a machine alive that has ended. */
export const forgetSsh: Runtime["forgetSsh"] = (stack, machine) => {
  try {
    forgetMachine(sshFilesOf(stack), aliasPrefix(machine));
  } catch {
    // A folder that is not ours to write: `gpufleet ssh-config --remove` says why.
  }
};
