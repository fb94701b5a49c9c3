import type { GpuAnswer, GpuQuestion } from "../../../provider/lifecycle";
import { FakeEngine, type Outcome, type Program } from "../fakeEngine";
import { createRig, type Rig } from "../rig";

const node = (more: object = {}) => ({
  type: "BareMetalRental",
  inputs: { networkType: "infiniband", gpuCount: 8, waitForGpus: true, ...more },
});

type Ask = (at: number, question: GpuQuestion) => GpuAnswer;
const gpus = (count: number, ...troubles: string[]): GpuAnswer => ({ kind: "gpus", count, troubles });

/** A stack whose machines answer as the test says, by the seconds since the beginning. */
function createStack(answer: Ask): { rig: Rig; stack: FakeEngine; questions: GpuQuestion[] } {
  const questions: GpuQuestion[] = [];
  const rig: Rig = createRig({
    askGpus: async (question) => {
      questions.push(question);
      return answer((rig.clock.now() - start) / 1000, question);
    },
  });
  const start = rig.clock.now();
  return { rig, stack: new FakeEngine(rig), questions };
}

const statuses = ({ provider }: Outcome) =>
  provider.shown.filter(({ kind }) => kind === "status").map(({ text }) => text);

describe("waitForGpus", () => {
  test("waits while the machine boots, and shows on its row what for", async () => {
    const { rig, stack, questions } = createStack((at) => {
      if (at < 120) return { kind: "waiting", reason: "Connection reset by peer" };
      return at < 200 ? gpus(0) : gpus(8);
    });
    const start = rig.clock.now();
    const outcome = await stack.up({ train: node() });
    expect(outcome.errors).toEqual({});
    expect(statuses(outcome)).toContainEqual(
      expect.stringMatching(
        /^Running, waiting for its GPUs \(nvidia-smi lists 0 of 8 GPUs\) 1m\d\ds, 8×h100 in us-central-1, \$19\.92\/h$/,
      ),
    );
    expect(statuses(outcome).at(-1)).toBe("");
    expect(rig.clock.now() - start).toBeGreaterThan(200_000);
    expect(questions[0]).toEqual({
      endpoint: { host: "machine-1001.invalid", port: 22, user: "ubuntu" },
      alias: "gpufleet-baremetalrental-1001-machine-1001.invalid-22",
      stack: expect.objectContaining({ stack: expect.any(String) }),
      keyFile: undefined,
    });
  });

  test("goes on while the engine does not answer, and not when it has ended", async () => {
    for (const [fate, says] of [
      [{ engineIsSilent: true }, undefined],
      [{ engineLives: false }, expect.stringContaining("the Pulumi engine has ended")],
    ] as const) {
      const { rig, stack } = createStack((at) => {
        Object.assign(provider, fate);
        return gpus(at < 120 ? 0 : 8);
      });
      const provider = rig.startProvider();
      expect((await stack.up({ train: node() }, { provider })).errors["train"]).toEqual(says);
    }
  });

  test("is not asked of a machine that need not have it", async () => {
    const { stack, questions } = createStack(() => gpus(0));
    expect((await stack.up({ train: node({ waitForGpus: false }) })).errors).toEqual({});
    expect(questions).toEqual([]);
  });

  test.each<[string, GpuAnswer, string]>([
    [
      "says how many of how many, when the time is up",
      gpus(7),
      "Running, but nvidia-smi lists 7 of 8 GPUs, after 9m25s. It is in the state with id 1001. It costs $19.92/h. Run `pulumi up` again to continue waiting, or raise timeouts.create. `pulumi destroy` terminates it.",
    ],
    [
      "says what a machine lacks, when the time is up",
      { kind: "waiting", reason: "there is no nvidia-smi on it" },
      "Running, but there is no nvidia-smi on it, after 9m25s. It is in the state with id 1001. It costs $19.92/h. Run `pulumi up` again to continue waiting, or raise timeouts.create. `pulumi destroy` terminates it.",
    ],
    [
      "names a GPU that goes on reporting an error",
      gpus(8, "GPU 3 reports [Unknown Error]", "GPU 4 reports ERR!"),
      "Running, but GPU 3 reports [Unknown Error], and 1 more, for 2m00s. It is in the state with id 1001. It costs $19.92/h. The next `pulumi up` checks it again. `pulumi destroy` terminates it.",
    ],
    [
      "does not wait for ever for a key to be accepted",
      { kind: "denied", reason: "it accepts no key" },
      "Running, but it accepts no key, for 2m00s. It is in the state with id 1001. It costs $19.92/h. The next `pulumi up` checks it again. `pulumi destroy` terminates it.",
    ],
    [
      "does not wait for what cannot come",
      { kind: "impossible", reason: "there is no ssh program" },
      "Running, but its GPUs cannot be checked: there is no ssh program. It is in the state with id 1001. It costs $19.92/h. The next `pulumi up` checks it again. `pulumi destroy` terminates it.",
    ],
  ])("%s", async (_, answer, message) => {
    const { stack } = createStack(() => answer);
    const { errors } = await stack.up({ train: node({ timeouts: { create: "10m" } }) });
    expect(errors["train"]?.replace(/after 9m\d\ds/, "after 9m25s")).toBe(
      `creating BareMetalRental "train": ${message}`,
    );
    expect(stack.get("train")).toMatchObject({ id: "1001", outputs: { status: "Running" } });
  });

  test("says what it last heard, when the time is up in the middle of a question", async () => {
    let asked = 0;
    const { stack } = createStack(() => {
      asked += 1;
      return asked < 5 ? gpus(7) : { kind: "silent", reason: "it did not answer in time" };
    });
    const { errors } = await stack.up({ train: node() });
    expect(errors["train"]).toContain("Running, but nvidia-smi lists 7 of 8 GPUs, after");
  });

  test("gives a key and a GPU a moment", async () => {
    const { stack } = createStack((at) => {
      if (at < 90) return { kind: "denied", reason: "it accepts no key" };
      return at < 150 ? gpus(8, "GPU 0 reports ERR!") : gpus(8);
    });
    expect((await stack.up({ train: node() })).errors).toEqual({});
  });

  test("is made up for by the next up, also after a refresh, without another machine", async () => {
    const { rig, stack } = createStack((at) => gpus(at < 2000 ? 7 : 8));
    const program: Program = { train: node({ timeouts: { create: "5m" } }) };
    expect((await stack.up(program)).errors["train"]).toContain("7 of 8 GPUs");
    const refreshed = await stack.up(program, { refresh: true });
    expect(refreshed.errors["train"]).toContain("updating");
    await rig.run(rig.clock.sleep(2_000_000));
    expect((await stack.up(program, { refresh: true })).steps).toEqual(["update train"]);
    expect((await stack.up(program, { refresh: true })).steps).toEqual(["same train"]);
    expect(rig.billing()).toHaveLength(1);
  });

  test("counts the GPUs of all nodes together", async () => {
    const { rig, stack, questions } = createStack((_at, { endpoint }) => gpus(endpoint.host === "10.0.0.1" ? 8 : 4));
    const ssh = ["10.0.0.1", "10.0.0.2"].map((host) => ({ host, port: 22, user: "ubuntu" }));
    const made = await rig.run(rig.client.createBareMetalRental({ networkType: "infiniband", gpuCount: 16 }));
    await rig.run(rig.clock.sleep(60_000));
    const [record] = await rig.run(rig.client.listBareMetalRentals());
    const body = [{ ...record, providerData: { ...record?.providerData, sshNetworking: ssh } }];
    const path = "/v2/alpha/on-demand/bare-metal-rentals";
    rig.fault({ match: { method: "GET", path }, times: 1000, kind: "status", status: 200, body });
    const { errors } = await stack.up({
      cluster: node({ gpuCount: 16, adoptId: made.id, timeouts: { create: "2m" } }),
    });
    expect(errors["cluster"]).toContain("nvidia-smi lists 12 of 16 GPUs");
    expect(new Set(questions.map(({ alias }) => alias)).size).toBe(2);
  });
});
