import { type Knowledge, numbersToPlay } from "./reach";

const knowing = (rare: Knowledge["rare"], costs: Record<number, number> = {}): Knowledge => ({
  rare,
  costOf: (number) => costs[number] ?? 1,
});

describe("Of the schedules that come by a bug, those are played", () => {
  test("that come first, in turns with those that do what few others do", () => {
    // 9 alone does one thing; 7 and 8 do the same; 6 does nothing rare.
    expect(numbersToPlay([5, 6, 7, 8, 9], knowing([[9], [7, 8]]), 4)).toEqual([5, 9, 6, 7]);
  });

  test("that add something to what those before them do", () => {
    const rare = [[7], [8, 9], [8, 9], [9, 6]];
    expect(numbersToPlay([6, 7, 8, 9], knowing(rare), 4)).toEqual([6, 9, 7, 8]);
  });

  test("that do it with the fewest requests", () => {
    expect(numbersToPlay([5, 6, 7, 8], knowing([[7], [8]], { 7: 3 }), 2)).toEqual([5, 8]);
  });

  test("as far as they make no more requests than they may, but always one", () => {
    expect(numbersToPlay([5, 6, 7], knowing([], { 5: 3, 6: 3, 7: 3 }), 6)).toEqual([5, 6]);
    expect(numbersToPlay([5, 6, 7], knowing([], { 5: 30 }), 6)).toEqual([5]);
  });

  test("that come by, and no more than there are", () => {
    expect(numbersToPlay([3, 1], knowing([[2]]), 5)).toEqual([3, 1]);
    expect(numbersToPlay([], knowing([[2]]), 5)).toEqual([]);
  });
});
