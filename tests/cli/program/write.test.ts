import { runInNewContext } from "node:vm";
import { Expression, writeComment, writeResource, writeValue } from "../../../cli/program";

describe("What is written into a program", () => {
  test.each([
    'a "quoted" label',
    ["back\\slash, `tick` and $", "{expression}"].join(""),
    "line\nbreak\r\u2028\u2029",
    "right\u202eleft \u0000\u001b[31m",
    "emoji 🚀 and 日本",
    "</script><!--",
    "lone \ud800 surrogate",
  ])("the text %j comes back as it was, and can be read", (text) => {
    const written = writeValue(text);
    expect(runInNewContext(written)).toBe(text);
    expect(written).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
  });

  test("a resource has a line for each input, and expressions as they are", () => {
    const written = writeResource({
      variable: "data",
      type: "StorageVolume",
      name: "data",
      inputs: { adoptId: 7, "odd key": { rentals: [new Expression("train.rentalId"), 8] }, keep: true, none: {} },
    });
    expect(written).toBe(`const data = new gpufleet.StorageVolume("data", {
  adoptId: 7,
  "odd key": {
    rentals: [train.rentalId, 8],
  },
  keep: true,
  none: {},
});`);
  });

  test("a resource that nothing refers to has no variable", () => {
    const data = { type: "StorageVolume", name: "data", inputs: {} };
    expect(writeResource(data)).toBe('new gpufleet.StorageVolume("data", {});');
  });

  test("no label can end a comment", () => {
    expect(writeComment("label a\nprocess.exit()\u2028more\u202e", "")).toEqual([
      "// label a process.exit() more",
      "//",
    ]);
  });
});
