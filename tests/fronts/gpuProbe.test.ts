import { readAnswer, type SshExit } from "../../provider/fronts/gpuProbe";
import type { GpuAnswer } from "../../provider/lifecycle";

const question = {
  endpoint: { host: "10.0.0.1", port: 22, user: "root" },
  alias: "gpufleet-vmrental-1-10.0.0.1-22",
  stack: { organization: "organization", project: "demo", stack: "dev" },
  keyFile: undefined,
};
const exit = (code: number | undefined, stdout = "", stderr = ""): SshExit => ({ code, stdout, stderr });
const read = (ended: SshExit, keyFile?: string) => readAnswer(ended, { ...question, keyFile });

describe("What nvidia-smi answers over ssh", () => {
  test.each<[string, SshExit, GpuAnswer]>([
    [
      "GPUs without errors",
      exit(0, "0, NVIDIA H100 80GB HBM3, 0\n1, NVIDIA H100 80GB HBM3, [N/A]\n"),
      { kind: "gpus", count: 2, troubles: [] },
    ],
    [
      "a GPU that answers with an error",
      exit(0, "0, [Unknown Error], [Unknown Error]\n1, NVIDIA H100 80GB HBM3, 0\n"),
      { kind: "gpus", count: 2, troubles: ["GPU 0 reports [Unknown Error]"] },
    ],
    [
      "a GPU that has fallen off the bus",
      exit(15, "0, NVIDIA H200, 0\nUnable to determine the device handle for GPU0000:3B:00.0: Unknown Error\n"),
      {
        kind: "gpus",
        count: 1,
        troubles: ["Unable to determine the device handle for GPU0000:3B:00.0: Unknown Error"],
      },
    ],
    [
      "memory errors",
      exit(0, "0, NVIDIA H200, 3\n"),
      { kind: "gpus", count: 1, troubles: ["GPU 0 (NVIDIA H200) reports 3 uncorrected memory errors"] },
    ],
    ["no GPU at all", exit(6, "No devices were found\n"), { kind: "gpus", count: 0, troubles: [] }],
    [
      "a driver that is not there yet",
      exit(9, "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n"),
      {
        kind: "waiting",
        reason:
          "nvidia-smi failed with 9: NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.",
      },
    ],
    [
      "no nvidia-smi",
      exit(127, "", "bash: line 1: nvidia-smi: command not found\n"),
      { kind: "waiting", reason: "there is no nvidia-smi on it" },
    ],
    [
      "nobody",
      exit(255, "", "ssh: connect to host 10.0.0.1 port 22: Connection refused\n"),
      { kind: "waiting", reason: "ssh: connect to host 10.0.0.1 port 22: Connection refused" },
    ],
    ["nothing in time", exit(undefined), { kind: "silent", reason: "it did not answer in time" }],
    [
      "that it lets nobody in",
      exit(255, "", "root@10.0.0.1: Permission denied (publickey).\n"),
      {
        kind: "denied",
        reason:
          "it accepts no key of your ssh agent or of ~/.ssh for the user root (root@10.0.0.1: Permission denied (publickey).). Register your public key with the service before renting, or name the right key: `pulumi config set gpufleet:sshKeyFile FILE`, or GPUFLEET_SSH_KEY_FILE",
      },
    ],
    [
      "that it wants another user",
      exit(142, 'Please login as the user "ubuntu" rather than the user "root".\n'),
      {
        kind: "impossible",
        reason: "it accepts only the user ubuntu, but the service names root",
      },
    ],
    [
      "a changed host key",
      exit(255, "", "Host key verification failed.\n"),
      {
        kind: "impossible",
        reason:
          "its host key is not the one that it had before: somebody else may be answering. If you know why, run `gpufleet ssh-config --remove`, which forgets the keys of this stack",
      },
    ],
    [
      "nothing, because there is no ssh",
      { ...exit(undefined), isMissing: true },
      { kind: "impossible", reason: "there is no ssh program on the PATH (Debian: openssh-client)" },
    ],
  ])("%s", (_, ended, answer) => {
    expect(read(ended)).toEqual(answer);
  });

  test("a key that was named is named", () => {
    const denied = read(exit(255, "", "Permission denied (publickey).\n"), "/keys/gpu");
    expect(denied).toMatchObject({
      reason: expect.stringContaining("it does not accept the key /keys/gpu for the user root"),
    });
  });
});
