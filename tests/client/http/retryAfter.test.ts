import { readRetryAfter } from "../../../provider/client/http/retryAfter";

const now = Date.UTC(2026, 8, 12, 12, 0, 0);

test.each([
  ["seconds", "120", 120_000],
  ["zero", "0", 0],
  ["a fraction", "1.5", 1500],
  ["a huge number", "99999999999", 99_999_999_999_000],
  ["more digits than a number can hold", "9".repeat(400), Number.POSITIVE_INFINITY],
  ["a date", "Sat, 12 Sep 2026 12:00:30 GMT", 30_000],
  ["a date of RFC 850", "Saturday, 12-Sep-26 12:00:30 GMT", 30_000],
  ["a date of asctime", "Sat Sep 12 12:00:30 2026", 30_000],
  ["a date that has passed", "Sat, 12 Sep 2026 11:00:00 GMT", 0],
  ["a negative number", "-5", undefined],
  ["a word", "soon", undefined],
  ["a word with a number", "next 12", undefined],
  ["a day that does not exist", "Foo, 99 Bar 2026 12:00:30 GMT", undefined],
  ["nothing", undefined, undefined],
  ["an empty text", "", undefined],
])("%s", (_, text, expected) => {
  expect(readRetryAfter(text, now)).toBe(expected);
});
