import { Stack } from "../../../cli/stack/stack";

/** The newest first, as `pulumi stack history` has them. */
class StackWith extends Stack {
  constructor(private readonly runs: object[]) {
    super({ cwd: "/" });
  }

  override async pulumi() {
    return JSON.stringify(this.runs);
  }
}

const run = (result: string, minute: number) => ({
  kind: "update",
  result,
  endTime: `2026-11-15T02:0${minute}:00.000Z`,
});

test.each([
  ["the last one", [run("failed", 5), run("failed", 3)], 5],
  ["one before others that succeeded", [run("succeeded", 5), run("failed", 3), run("succeeded", 1)], 3],
])("When a run has failed is when %s has ended", async (_, runs, minute) => {
  expect(await new StackWith(runs).lastFailure()).toBe(Date.UTC(2026, 10, 15, 2, minute));
});

test.each([
  ["no run failed", [run("succeeded", 5)]],
  ["there was none", []],
  ["it still runs", [{ kind: "update", result: "in-progress" }]],
])("No run has failed where %s", async (_, runs) => {
  expect(await new StackWith(runs).lastFailure()).toBeUndefined();
});
