import { z } from "zod";
import { describeFields } from "../../tools/generate/schemaWords";

/** The type and limits of one field, in words. */
function wordsFor(field: z.ZodType): string | undefined {
  return describeFields(z.strictObject({ field })).fields[0]?.type;
}

describe("The words for what a field allows", () => {
  test.each<[string, z.ZodType]>([
    ["string", z.string()],
    [
      "string, 4 to 255 characters, letters, digits, `_` and `-`",
      z
        .string()
        .min(4)
        .max(255)
        .regex(/^[A-Za-z0-9_-]+$/),
    ],
    ["string, not empty", z.string().min(1)],
    ["integer", z.int()],
    ["integer, at least 1", z.int().positive()],
    ["number, more than 0", z.number().positive()],
    ["integer, 256 to 64000, a multiple of 256", z.int().min(256).max(64000).multipleOf(256)],
    ['`"a"`, `"b"` or `"c"`', z.enum(["a", "b", "c"])],
    ["list of integer, 1 to 65535; at most 20 items", z.array(z.int().min(1).max(65535)).max(20)],
    ["string (not empty) or integer (at least 1)", z.union([z.string().min(1), z.int().positive()])],
    ["object of number, -100 to 100", z.record(z.string(), z.number().min(-100).max(100))],
  ])("%s", (words, schema) => {
    expect(wordsFor(schema)).toBe(words);
  });

  test("tell required fields from those with a default", () => {
    const { fields } = describeFields(
      z.strictObject({ a: z.string(), b: z.int().default(3), c: z.string().optional() }),
    );
    expect(fields.map(({ name, presence }) => [name, presence])).toEqual([
      ["a", "required"],
      ["b", "`3`"],
      ["c", ""],
    ]);
  });

  test("say which of two shapes a field belongs to", () => {
    const schema = z.strictObject({
      volume: z.discriminatedUnion("isNew", [
        z.strictObject({ isNew: z.literal(false), id: z.int().describe("Its id.") }),
        z.strictObject({ isNew: z.literal(true), label: z.string().describe("A name.") }),
      ]),
    });
    expect(describeFields(schema).fields.map(({ name, description }) => [name, description])).toEqual([
      ["volume", ""],
      ["volume.id", "With `isNew: false`: its id."],
      ["volume.label", "With `isNew: true`: a name."],
    ]);
  });

  test("list a long enumeration once, for all fields that take it", () => {
    const region = z.enum(["r1", "r2", "r3", "r4", "r5", "r6"]);
    const { fields, lists } = describeFields(z.strictObject({ region, fallbacks: z.array(region) }));
    expect(fields.map(({ type }) => type)).toEqual([
      "string, [one of these](#values-of-region)",
      "list of string, [one of these](#values-of-region)",
    ]);
    expect(lists).toBe(
      '\n<a id="values-of-region"></a>Values of `region` and `fallbacks`: `r1`, `r2`, `r3`, `r4`, `r5`, `r6`.\n',
    );
  });
});
