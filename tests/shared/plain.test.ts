import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { plain, plainObject } from "../../provider/shared/plain";

describe("What the host cannot send", () => {
  test.each([
    ["undefined", undefined],
    ["a bigint", 10n],
    ["a symbol", Symbol("s")],
    ["a function", () => 1],
  ])("%s anywhere in the outputs fails the whole answer, and is gone once it is plain", (_, value) => {
    const outputs = { id: "1", nested: { list: [1, value], value } };
    expect(() => fromJavaScript(outputs)).toThrow();
    expect(() => fromJavaScript(plainObject(Object.entries(outputs)))).not.toThrow();
  });

  test("becomes what comes nearest to it", () => {
    const values = {
      text: "x",
      no: false,
      nothing: null,
      big: 12345678901234567890n,
      date: new Date(0),
      noDate: new Date(Number.NaN),
      map: new Map<unknown, unknown>([["a", 1n]]),
      set: new Set([1, undefined]),
      numbers: [1.5, Number.NaN, Number.POSITIVE_INFINITY],
      dropped: undefined,
      call: () => 1,
    };
    expect(plain(values)).toEqual({
      text: "x",
      no: false,
      nothing: null,
      big: "12345678901234567890",
      date: "1970-01-01T00:00:00.000Z",
      noDate: null,
      map: { a: "1" },
      set: [1, null],
      numbers: [1.5, null, null],
    });
  });

  test("does not let a key named __proto__ be more than a key", () => {
    const hostile = JSON.parse('{"__proto__": {"polluted": true}, "a": 1}');
    const made = plainObject(Object.entries(hostile));
    expect(Object.keys(made)).toEqual(["__proto__", "a"]);
    expect(Object.getPrototypeOf(made)).toBe(Object.prototype);
    expect(JSON.stringify(made)).toBe('{"__proto__":{"polluted":true},"a":1}');
  });
});

/** As the host does it, whatever the types say. */
function fromJavaScript(outputs: object): unknown {
  return Reflect.apply(Struct.fromJavaScript, Struct, [outputs]);
}
