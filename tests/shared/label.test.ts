import { automaticLabel, marksOf, readLabel, stackMark } from "../../provider/shared/label";
import { readOrigin } from "../../provider/shared/urn";
import { seededRandom } from "../lifecycle/rig";

const urn = (name: string, stack = "prod", project = "ai") =>
  `urn:pulumi:${stack}::${project}::pulumi-nodejs:dynamic/gpufleet:BareMetalRental::${name}`;
const identity = (name: string) => ({ organization: "acme", urn: urn(name), namespace: "" });

describe("An automatic label", () => {
  test("is the name, the mark of the stack, the mark of the resource and a nonce", () => {
    const label = automaticLabel(identity("train"), seededRandom(7));
    expect(label).toMatch(/^train-[a-z2-7]{6}-[a-z2-7]{8}-[a-z2-7]{6}$/);
    expect(readLabel(label)).toEqual({ name: "train", ...marksOf(identity("train")) });
  });

  test("differs in its nonce alone from another of the same resource", () => {
    const random = seededRandom(7);
    const [one, other] = [automaticLabel(identity("train"), random), automaticLabel(identity("train"), random)];
    expect(one).not.toBe(other);
    expect(one.slice(0, -6)).toBe(other.slice(0, -6));
  });

  test.each([
    ["my node/1 (ü)", "my-node-1-"],
    ["x".repeat(300), "x".repeat(40)],
    ["日本", "-"],
    ["a", "a"],
  ])("of %s is one that a volume may have", (name, cleaned) => {
    const label = automaticLabel(identity(name), seededRandom(1));
    expect(label).toMatch(/^[A-Za-z0-9_-]{4,255}$/);
    expect(readLabel(label)?.name).toBe(cleaned);
  });

  test("marks a stack by organization, project, stack and namespace", () => {
    const parts = { organization: "acme", project: "ai", stack: "prod", namespace: "" };
    const marks = [
      parts,
      { ...parts, organization: "other" },
      { ...parts, project: "other" },
      { ...parts, stack: "other" },
      { ...parts, namespace: "other" },
      // Not to be had by moving a letter from one part to the next.
      { ...parts, organization: "acmea", project: "i" },
    ].map(stackMark);
    expect(new Set(marks).size).toBe(marks.length);
    expect(marksOf(identity("train")).stack).toBe(marks[0]);
  });

  test("marks a resource by its URN", () => {
    expect(marksOf(identity("a")).resource).not.toBe(marksOf(identity("ab")).resource);
  });

  test("does not collide in a fleet of twenty thousand", () => {
    const marks = Array.from({ length: 20_000 }, (_, index) => marksOf(identity(`train-${index}`)).resource);
    expect(new Set(marks).size).toBe(marks.length);
  });
});

test("A label that a person chose has no marks, and neither has none", () => {
  for (const label of ["mine", "train-1", "a-b-c-d", "train-abcde1-abcdefgh-abcdef", "", null, undefined]) {
    expect(readLabel(label)).toBeUndefined();
  }
});

test("Marks are read in whatever letters a service shows the label", () => {
  const marks = { stack: "abcdef", resource: "abcdefgh" };
  for (const label of ["train-abcdef-abcdefgh-234567", "TRAIN-ABCDEF-ABCDEFGH-234567", "Train-Abcdef-abcdefgh-234567"])
    expect(readLabel(label)).toEqual({ name: label.slice(0, 5), ...marks });
});

test("The origin is read as organization and URN, and as nothing where it is none", () => {
  expect(readOrigin(`acme/${urn("train")}`)).toEqual({ organization: "acme", urn: urn("train") });
  expect(readOrigin(urn("train"))).toEqual({ organization: "", urn: urn("train") });
  for (const origin of [undefined, 7, "", "nonsense"])
    expect(readOrigin(origin)).toEqual({ organization: "", urn: "" });
});
