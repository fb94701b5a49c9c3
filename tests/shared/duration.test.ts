import { readDuration, showDuration } from "../../provider/shared/duration";

test.each([
  [90, 90_000],
  [0.5, 500],
  ["90s", 90_000],
  ["30m", 1_800_000],
  ["1.5h", 5_400_000],
  [" 2d ", 172_800_000],
  ["1h30m", 5_400_000],
  ["2m1.5s", 121_500],
  ["500ms", 500],
])("%p lasts %i ms", (value, milliseconds) => {
  expect(readDuration(value)).toBe(milliseconds);
});

test.each([
  0,
  -1,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  "",
  "soon",
  "30",
  "0m",
  "-5m",
  "5 m",
  "1h 30m",
  "h",
  null,
  undefined,
  {},
])("%p is no duration", (value) => {
  expect(readDuration(value)).toBeUndefined();
});

test.each([
  [0, "0s"],
  [-5, "0s"],
  [999, "1s"],
  [59_400, "59s"],
  [60_000, "1m00s"],
  [190_000, "3m10s"],
  [7_500_000, "2h05m"],
  [273_600_000, "3d4h"],
])("%i ms shows as %s", (milliseconds, text) => {
  expect(showDuration(milliseconds)).toBe(text);
});
