import { Blocks } from "./blocks";

const range = (startOffset: number, endOffset: number, count: number) => ({ startOffset, endOffset, count });
const called = (...ranges: ReturnType<typeof range>[]) => ({ functionName: "", isBlockCoverage: true, ranges });

test("A part of a function was run by those who have called it and have not left that part out", () => {
  const blocks = new Blocks();
  // 1 runs all of it; 2 leaves out a part, 3 more than that; 4 does not call it.
  blocks.note(1, "file:a", [called(range(0, 100, 5), range(20, 30, 1))]);
  blocks.note(2, "file:a", [called(range(0, 100, 1), range(20, 30, 0))]);
  blocks.note(3, "file:a", [called(range(0, 100, 1), range(10, 40, 0))]);
  blocks.note(4, "file:a", [called(range(0, 100, 0))]);
  expect(blocks.rare(4)).toEqual([[1, 2, 3], [1], [1, 2]]);
  expect(blocks.rare(1)).toEqual([[1]]);
});

test("An event counts like a part of the code", () => {
  const blocks = new Blocks();
  for (const number of [1, 3]) blocks.noteEvent(number, "a reset during up: list");
  blocks.noteEvent(2, "a reset during up: create");
  expect(blocks.rare(1)).toEqual([[2]]);
  expect(blocks.rare(2)).toEqual([[1, 3], [2]]);
});
