import type { Transport } from "../../provider/client";
import { Effects } from "../../provider/fronts/effects";
import { leaveWithEngine } from "../../provider/fronts/ownProcess";

describe("A provider process", () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  /** A process with these duties: changed by the test, as time goes by. */
  function start({ calls = 0, effects = 0, gone = true } = {}) {
    const now = { calls, effects, gone };
    let leftAt: number | undefined;
    const started = performance.now();
    leaveWithEngine(
      async () => now.gone,
      { openCalls: () => now.calls, effects: () => now.effects },
      () => {
        leftAt ??= performance.now() - started;
        return undefined as never;
      },
    );
    const pass = async (seconds: number) => {
      await jest.advanceTimersByTimeAsync(seconds * 1000);
      return leftAt === undefined ? undefined : leftAt / 1000;
    };
    return { now, pass };
  }

  test("stays while its engine lives", async () => {
    expect(await start({ gone: false }).pass(600)).toBeUndefined();
  });

  test("goes within seconds when its engine is gone and nothing is under way", async () => {
    expect(await start().pass(600)).toBe(6);
  });

  test("does not go for a moment in which its engine seemed gone", async () => {
    const { now, pass } = start({ gone: false });
    for (let round = 0; round < 10; round += 1) {
      now.gone = true;
      await pass(3);
      now.gone = false;
      expect(await pass(3)).toBeUndefined();
    }
  });

  test("goes although calls wait, a little later", async () => {
    expect(await start({ calls: 3 }).pass(600)).toBe(15);
  });

  test("finishes a request that may have an effect", async () => {
    const { now, pass } = start({ calls: 1, effects: 1 });
    expect(await pass(120)).toBeUndefined();
    now.effects = 0;
    expect(await pass(3)).toBe(123);
  });
});

describe("Requests that may have an effect", () => {
  test("are counted until their reply is there, and others are not", async () => {
    const effects = new Effects();
    const replies: (() => void)[] = [];
    const send: Transport = () =>
      new Promise((_, reject) => {
        replies.push(() => reject(new Error("lost")));
      });
    const made = jest.fn(() => send);
    const transport = effects.transport(made);
    expect(made).not.toHaveBeenCalled();
    const request = { url: "https://gpu.example", headers: {}, timeout: 1, signal: new AbortController().signal };
    const sent = (["GET", "POST", "DELETE"] as const).map((method) => transport({ ...request, method }));
    const settled = Promise.allSettled(sent);
    expect(effects.count).toBe(2);
    for (const reply of replies) reply();
    await settled;
    expect(effects.count).toBe(0);
    expect(made).toHaveBeenCalledTimes(1);
  });
});
