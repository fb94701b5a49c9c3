import { amountOf, anyNumber, positiveOf, whole } from "../../../cli/options";

test.each([
  ["any number", anyNumber, "-1.5", -1.5],
  ["an amount", amountOf("a number"), "0", 0],
  ["an amount above 0", positiveOf("a number"), "0.5", 0.5],
  ["a whole number", whole(1), "3", 3],
  ["a whole number up to a limit", whole(0, 65_535), "65535", 65_535],
])("reads %s", (_, read, text, value) => {
  expect(read(text)).toBe(value);
});

test.each([
  ["any number", anyNumber, ["", " ", "x", "Infinity"], "It must be a number."],
  ["an amount", amountOf("a number of hours"), ["", " ", "-1", "NaN"], "It must be a number of hours, 0 or more."],
  ["an amount above 0", positiveOf("a number of GB"), ["", "0"], "It must be a number of GB, more than 0."],
  ["a whole number", whole(1), ["", "0", "1.5", "9007199254740993"], "It must be a whole number, 1 or more."],
  ["one up to a limit", whole(0, 65_535), ["x", "65536"], "It must be a whole number from 0 to 65535."],
])("refuses what is not %s, and says what would be", (_, read, texts, message) => {
  for (const text of texts) expect(() => read(text)).toThrow(message);
});
