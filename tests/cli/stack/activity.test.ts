import { findNamed, isOver, judgeLocks, locksIn, whyNoLocks } from "../../../cli/stack/activity";

const refusal = `could not create stack: the stack is currently locked by 1 lock(s). Either wait for the other process(es) to end or delete the lock file with \`pulumi cancel\`. file:///state/.pulumi/locks/organization/fleet/dev/375f26cc.json: created by Ada L@runner (pid 4537) at 2026-11-15T02:00:59Z`;
const lock = { owner: "Ada L@runner", pid: 4537, since: "2026-11-15T02:00:59Z" };
const machine = (host: string, ...running: number[]) => ({ host, isRunning: (pid: number) => running.includes(pid) });

describe("A lock on the stack", () => {
  test("is read from the words of `pulumi`", () => {
    expect(locksIn(refusal)).toEqual([lock]);
    expect(locksIn("stack 'dev' already exists")).toEqual([]);
  });

  test("that cannot be asked for is no failure to make a stack", () => {
    const reason =
      "could not create secrets manager for new stack: passphrase must be set with PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE environment variables";
    expect(whyNoLocks(reason)).toBe(
      "could not tell whether a run is working on the stack: passphrase must be set with PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE environment variables",
    );
  });

  test("of a running process is an update in progress", () => {
    expect(judgeLocks([lock], machine("runner", 4537))).toEqual({
      kind: "busy",
      reason: "an update is in progress: Ada L@runner (pid 4537) since 2026-11-15T02:00:59Z",
      isCertain: true,
    });
  });

  test("of a process of this machine that is over was left by a kill", () => {
    expect(judgeLocks([lock], machine("runner"))).toEqual({ kind: "abandoned", locks: [lock] });
  });

  test("of another machine may be an update in progress", () => {
    expect(judgeLocks([lock], machine("laptop"))).toEqual({
      kind: "busy",
      reason:
        "the stack is locked by Ada L@runner (pid 4537) since 2026-11-15T02:00:59Z, on another machine, so it is unknown whether that run is over. If it was killed, run `pulumi cancel` to release the stack, then run this again",
      isCertain: false,
    });
  });

  test("is not abandoned while one of several runs", () => {
    expect(judgeLocks([lock, { ...lock, pid: 1 }], machine("runner", 1)).kind).toBe("busy");
  });

  test("does not count when its process is a zombie, or another program with the same id", () => {
    expect(isOver("4537 (pulumi) Z 1 4537")).toBe(true);
    expect(isOver("4537 (bash) S 1 4537")).toBe(true);
    expect(isOver("4537 (pulumi) S 1 4537")).toBe(false);
    expect(isOver(undefined)).toBe(false);
  });
});

describe("Of the listed stacks, the one that is meant", () => {
  const stacks = [{ name: "dev" }, { name: "acme/dev" }, { name: "acme/prod" }];

  test.each([
    ["dev", "dev"],
    ["acme/dev", "acme/dev"],
    ["acme/fleet/dev", "acme/dev"],
    ["ada/fleet/dev", "dev"],
    ["prod", "acme/prod"],
  ])("by %s is %s", (named, name) => {
    expect(findNamed(stacks, named)).toEqual({ name });
  });

  test("is none where none has the name", () => {
    expect(findNamed(stacks, "acme/test")).toBeUndefined();
  });
});
