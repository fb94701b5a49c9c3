/**
 * A machine that is set up after boot
 *
 * Waits until the GPUs of a machine answer, then installs a package, writes a file and starts a service over ssh.
 *
 * `setUpOverSsh.ts` runs a script with your own `ssh`. It runs again when the script changes or the machine is replaced. On the
 * emulator, start it with machines that can be logged in to: `gpufleet emulator --ssh-server`.
 *
 * If ssh does not find the right key by itself, name it: `pulumi config set gpufleet:sshKeyFile FILE`.
 */

import * as pulumi from "@pulumi/pulumi";
import { VmRental } from "pulumi-gpufleet";
import { SetUpOverSsh } from "./setUpOverSsh";

const dev = new VmRental("dev", { gpuCount: 2, waitForGpus: true });

const script = `
set -euo pipefail

# A package.
sudo apt-get update -qq
sudo apt-get install -y -qq nvtop

# A file.
mkdir -p ~/.config/systemd/user
cat > ~/.config/systemd/user/gpu-log.service <<'UNIT'
[Unit]
Description=Log the use of the GPUs

[Service]
ExecStart=/usr/bin/nvidia-smi --query-gpu=timestamp,index,utilization.gpu --format=csv --loop=60

[Install]
WantedBy=default.target
UNIT

# A service, also when nobody is logged in.
systemctl --user daemon-reload
systemctl --user enable --now gpu-log.service
sudo loginctl enable-linger "$USER"

nvidia-smi -L
`;

const setup = new SetUpOverSsh("setup", {
  sshConfig: dev.sshConfig,
  host: "dev",
  script,
  keyFile: new pulumi.Config("gpufleet").get("sshKeyFile"),
});

export const ssh = dev.sshCommand;
export const gpus = setup.stdout;
