import { everyChange, parsePreview } from "../../../cli/preview";
import type { StateResource } from "../../../cli/stack";

const type = "gpufleet:index:StorageVolume";
const urn = `urn:pulumi:dev::fleet::${type}::data`;
const inState = (id: string, more: Partial<StateResource> = {}): StateResource => ({ urn, type, id, ...more });
const previewWith = (op: string, id: string) => {
  const state = { type, id };
  return parsePreview(JSON.stringify({ steps: [{ op, urn, oldState: state, newState: state }] }), "test");
};
const brief = (op: string, ...resources: StateResource[]) =>
  everyChange(previewWith(op, "2"), resources).map(({ op, before, retained }) => [op, before?.id, retained]);

describe("What was replaced and waits for its end", () => {
  test.each(["same", "update", "replace", "delete"])("is a delete beside a resource with the step %s", (op) => {
    const changes = brief(op, inState("1", { delete: true }), inState("2"));
    expect(changes).toEqual([
      [op, "2", false],
      ["delete", "1", false],
    ]);
  });

  test("is left behind where it is told so", () => {
    expect(brief("same", inState("1", { delete: true, retainOnDelete: true }))).toContainEqual(["delete", "1", true]);
  });

  test("is not there twice where the preview shows it", () => {
    expect(brief("delete", inState("2", { delete: true }))).toEqual([["delete", "2", false]]);
  });

  test("is no delete where it is unresolved: nothing is ended", () => {
    expect(brief("same", inState("unresolved:data-abcdef-abcdefgh-abcdef", { delete: true }))).toEqual([
      ["same", "2", false],
    ]);
  });
});
