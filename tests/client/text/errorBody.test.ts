import { describeErrorBody } from "../../../provider/client/text/errorBody";

const reason = (body: unknown, status = 400) =>
  describeErrorBody(typeof body === "string" ? body : JSON.stringify(body), status, {}).reason;

describe("the reason is read from", () => {
  test.each([
    ["{error: string}", { error: "no capacity" }, "no capacity"],
    ["{error: {code, message}}", { error: { code: "BAD_REQUEST", message: "region disabled" } }, "region disabled"],
    ["{message}", { message: "insufficient balance" }, "insufficient balance"],
    ["{msg}", { msg: "no public key" }, "no public key"],
    ["{message, error_code}", { message: "already terminated", error_code: "E17" }, "already terminated (E17)"],
    [
      "{detail: [{loc, msg, type}]}",
      {
        detail: [
          { loc: ["body", "label"], msg: "field required", type: "missing" },
          { loc: ["body", 0], msg: "bad" },
        ],
      },
      "body.label: field required; body.0: bad",
    ],
    ["{detail: string}", { detail: "Not Found" }, "Not Found"],
    [
      '{object: "error", …}',
      { object: "error", message: "model not found", type: "invalid", param: null, code: 404 },
      "model not found",
    ],
    [
      "{statusCode, message: [], error}",
      { statusCode: 400, message: ["a is bad", "b is bad"], error: "Bad Request" },
      "a is bad; b is bad",
    ],
    ["{errors: [{message}]}", { errors: [{ message: "first" }, { message: "second" }] }, "first; second"],
    ["{error: {code}} without a message", { error: { code: "FORBIDDEN" } }, "FORBIDDEN"],
    ["a JSON string", '"quota reached"', "quota reached"],
    ["plain text", "upstream is down\n", "upstream is down"],
    ["half a JSON", '{"error": "cut', '{"error": "cut'],
  ])("%s", (_, body, expected) => {
    expect(reason(body)).toBe(expected);
  });

  test("the title of a web page, which is told apart", () => {
    const page = "<!DOCTYPE html>\n<html><head><title>502 Bad Gateway &amp; more</title></head><body>…</body></html>";
    expect(describeErrorBody(page, 502, {})).toEqual({ reason: "Bad Gateway & more", page: true });
    expect(reason("<html><body><h1>Blocked</h1></body></html>")).toBe("Blocked");
    expect(reason("<html></html>")).toBe("a web page without a title");
  });
});

test.each([
  [{ error: { code: "INSUFFICIENT_CAPACITY", message: "try another region" } }, "INSUFFICIENT_CAPACITY"],
  [{ error: "no_capacity", message: "try later" }, "no_capacity"],
  [{ message: "try later", error_code: "E17" }, "E17"],
  [{ error: { type: "invalid", code: 400, message: "sk-very-secret" } }, "invalid"],
  [{ error: { code: "sk-very-secret", message: "x" } }, "[redacted]"],
  [{ message: "try later", code: 400 }, undefined],
  [{ error: { code: {}, message: "x" } }, undefined],
  ["try later", undefined],
])("what %j calls the error beside the reason", (body, expected) => {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  expect(describeErrorBody(text, 400, { secrets: ["sk-very-secret"] }).code).toBe(expected);
});

test.each(["", "{}", "[]", "null", "17", '{"message":""}', '{"message":{"toString":1}}'])(
  "the body %j gives no reason, so the name of the status stands for it",
  (body) => {
    expect(["Bad Request", body]).toContain(reason(body));
    expect(describeErrorBody("", 599, {}).reason).toBe("no reason given");
  },
);

test("nesting without end is not followed", () => {
  const deep = `${'{"error":'.repeat(100_000)}"x"${"}".repeat(100_000)}`;
  expect(reason(deep).length).toBeLessThanOrEqual(500);
});
