import { refusalIn } from "../../provider/service";

test.each<[unknown, string]>([
  [{ success: false }, "refused without a reason"],
  [{ success: false, message: "rental is locked" }, "rental is locked"],
  [{ ok: false, msg: "no" }, "no"],
  [{ status: "error" }, "error"],
  [{ status: "FAILED", message: "try later" }, "try later"],
  [{ status: "refused", reason: 1 }, "refused"],
  [{ status: "denied" }, "denied"],
  [{ status: "rejected" }, "rejected"],
  [{ error: "not allowed" }, "not allowed"],
  [{ error: { code: "E1", message: "locked" } }, "locked"],
  [{ error: true }, "refused without a reason"],
  [{ errors: [{ message: "locked" }] }, "locked"],
  [{ object: "error", message: "no", type: "x", param: null, code: 1 }, "no"],
  [{ error: "a\u001b[2Jb" }, "ab"],
])("%j takes its 2xx back: %s", (body, reason) => {
  expect(refusalIn(body)).toBe(reason);
});

test.each<[unknown]>([
  [undefined],
  [null],
  [true],
  [""],
  ["error"],
  [[]],
  [{}],
  [{ success: true }],
  [{ status: "success", message: "instance i-1 is being terminated", error_code: null }],
  [{ status: "Terminating", error: null }],
  [{ message: "no errors" }],
  [{ error: "" }],
  [{ error: {} }],
  [{ errors: [] }],
  [{ status: 200 }],
])("%j does not", (body) => {
  expect(refusalIn(body)).toBeUndefined();
});
