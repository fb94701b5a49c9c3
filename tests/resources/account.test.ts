import { accountOf } from "../../provider/resources/account";

describe("Whose a record is", () => {
  test.each<[string, unknown, string[] | undefined]>([
    ["the user alone", null, ["user u1"]],
    ["an empty organization", "", ["user u1"]],
    ["a text", "o1", ['org "o1"', "user u1"]],
    ["a number", 7, ["org 7", "user u1"]],
    ["an object with an id, whatever else it has", { id: "o1", seenAt: "just now" }, ['org "o1"', "user u1"]],
    ["an object without one", { name: "Lab" }, ['org {"name":"Lab"}', "user u1"]],
  ])("is told by %s", (_, orgId, expected) => {
    expect(accountOf({ orgId, userId: "u1" })).toEqual(expected);
  });

  test("is not told where a record has neither", () => {
    expect(accountOf({ orgId: null })).toBeUndefined();
  });
});
