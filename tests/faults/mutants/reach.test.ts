import { mostVaried } from "./reach";

describe("Of the schedules that come by a bug, those are played", () => {
  test("first that do what no other one does, then those that add something to it", () => {
    // 7 alone does one thing; 8 and 9 do the same; 6 does nothing rare.
    const rare = [[7], [8, 9], [8, 9], [1, 2, 3]];
    expect(mostVaried([6, 7, 8, 9], rare, 3)).toEqual([7, 8, 9]);
    expect(mostVaried([6, 7, 8, 9], [...rare, [9, 6]], 3)).toEqual([9, 7, 8]);
    expect(
      mostVaried(
        [6, 8, 9],
        [
          [8, 9],
          [6, 1, 2],
        ],
        2,
      ),
    ).toEqual([8, 6]);
  });

  test("that come by, and no more than there are", () => {
    expect(mostVaried([3, 1], [[2]], 5)).toEqual([3, 1]);
    expect(mostVaried([], [[2]], 5)).toEqual([]);
  });
});
