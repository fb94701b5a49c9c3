import { Workers } from "../workers/workers";

jest.setTimeout(300_000);

const workers = new Workers();
afterAll(() => workers.stop());

test("300 rentals come up, refresh and go down with every fifth request failing: nothing lost, under 3× the requests", async () => {
  const { failures, schedules } = await workers.play({ kind: "load", count: 300, seed: 7 });
  expect(failures).toEqual([]);
  expect(schedules).toBe(2);
});
