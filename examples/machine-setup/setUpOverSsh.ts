import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";

interface Inputs {
  sshConfig: string;
  host: string;
  script: string;
  keyFile?: string;
}

/** Runs the script on the machine; fails with what it printed if it does not end with 0. */
function runOverSsh({ sshConfig, host, script, keyFile }: Inputs): { stdout: string } {
  const folder = mkdtempSync(join(tmpdir(), "set-up-"));
  const config = join(folder, "config");
  writeFileSync(config, sshConfig);
  // Host keys are kept with the project, so that a machine whose key has changed is noticed.
  const options = ["BatchMode=yes", "ConnectTimeout=20", `UserKnownHostsFile=${join(process.cwd(), ".known_hosts")}`];
  const key = keyFile ? ["-i", keyFile.replace(/^~(?=\/)/, homedir()), "-o", "IdentitiesOnly=yes"] : [];
  const args = ["-F", config, ...options.flatMap((option) => ["-o", option]), ...key, host, "bash -s"];
  const { status, stdout, stderr, error } = spawnSync("ssh", args, {
    input: script,
    encoding: "utf8",
    timeout: 600_000,
  });
  rmSync(folder, { recursive: true });
  if (status !== 0) throw new Error(`setting up ${host} failed: ${error?.message ?? stderr.trim()}`);
  return { stdout };
}

const provider: pulumi.dynamic.ResourceProvider = {
  async create(inputs: Inputs) {
    return { id: inputs.host, outs: { ...inputs, ...runOverSsh(inputs) } };
  },
  // The configuration names the machine by its id: another machine is set up anew.
  async diff(_id, before: Inputs, after: Inputs) {
    return { changes: before.script !== after.script || before.sshConfig !== after.sshConfig };
  },
  async update(_id, _before, inputs: Inputs) {
    return { outs: { ...inputs, ...runOverSsh(inputs) } };
  },
};

export interface SetUpOverSshArgs {
  /** `sshConfig` of the machine. */
  sshConfig: pulumi.Input<string>;
  /** Name of the machine in it. */
  host: pulumi.Input<string>;
  /** What bash is to do there. It must be able to run twice. */
  script: pulumi.Input<string>;
  /** Private key, if ssh does not find it by itself. */
  keyFile?: pulumi.Input<string> | undefined;
}

/** A script that is run on a machine over plain ssh, when it is new, when the script changes and when the machine is another. */
export class SetUpOverSsh extends pulumi.dynamic.Resource {
  /** What the script printed. */
  declare readonly stdout: pulumi.Output<string>;

  constructor(name: string, args: SetUpOverSshArgs, options?: pulumi.CustomResourceOptions) {
    super(provider, name, { stdout: undefined, ...args }, options);
  }
}
