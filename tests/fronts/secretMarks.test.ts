import { withMarksOf } from "../../provider/fronts/secretMarks";
import { secret } from "../../provider/shared/secretValue";

describe("What was given as a secret", () => {
  test("is a secret under the same name in the answer, inside objects too", () => {
    const given = { label: secret("a"), gpuCount: 8, image: { name: secret("b"), tag: "1" } };
    const answer = { label: "a", gpuCount: 8, image: { name: "b", tag: "1" }, status: "Running" };
    expect(withMarksOf(given, answer)).toEqual({ ...given, status: "Running" });
  });

  test("is a secret also as what was asked for, where the service has made another of it", () => {
    expect(withMarksOf({ label: secret("a b"), region: "r" }, { label: "a-b", __asked: { label: "a b" } })).toEqual({
      label: secret("a-b"),
      __asked: { label: secret("a b") },
    });
  });

  test("makes a list that it is in a secret as a whole", () => {
    expect(withMarksOf({ rentalIds: [1, secret(2)] }, { rentalIds: [1, 2] })).toEqual({ rentalIds: secret([1, 2]) });
  });

  test("is not marked twice, and not made up where the answer has none", () => {
    expect(withMarksOf({ label: secret("a"), vip: secret("b") }, { label: secret("a") })).toEqual({
      label: secret("a"),
    });
  });
});
