import { PriceBook } from "../../../cli/money/priceBook";
import { inPlainText } from "../../../cli/preview";
import { billChanges } from "../../../cli/preview/billing";
import { changesOf } from "../../../cli/preview/changes";
import { parsePreview } from "../../../cli/preview/readPreview";
import { warningsOf } from "../../../cli/preview/warnings";
import { unknownValue } from "../../../provider/shared/unknown";

const type = "pulumi-nodejs:dynamic/gpufleet:BareMetalRental";
const urn = (name: string) => `urn:pulumi:dev::fleet::${type}::${name}`;
const inputs = { gpuType: "h100", gpuCount: 8, region: "us-central-1" };

async function warnings(...steps: object[]): Promise<string[]> {
  const changes = await billChanges(changesOf(parsePreview(JSON.stringify({ steps }), "test")), new PriceBook());
  return warningsOf(changes).map((warning) => warning.say(inPlainText));
}

function replaced(name: string, id: string, outputs: object) {
  const oldState = { type, id, inputs, outputs: { ...inputs, ...outputs } };
  return { op: "replace", urn: urn(name), oldState, newState: { type, inputs } };
}

describe("Warnings", () => {
  test("tell a running machine from a failed one, and from one whose create is unresolved", async () => {
    expect(
      await warnings(
        replaced("runs", "1", { status: "Running" }),
        replaced("failed", "2", { status: "Failed" }),
        replaced("lost", "unresolved:lost-label", {}),
      ),
    ).toEqual([
      'replaces running bare-metal rental "runs", 8×h100 in us-central-1: the contents of its disks are lost and its address changes',
      'replaces bare-metal rental "failed", 8×h100 in us-central-1 (status Failed)',
      'replaces bare-metal rental "lost", 8×h100 in us-central-1 (status unresolved)',
    ]);
  });

  test("mention a replacement once, however many steps the engine makes of it", async () => {
    const step = replaced("node", "1", { status: "Running" });
    const steps = [
      { ...step, op: "create-replacement", oldState: undefined },
      step,
      { ...step, op: "delete-replaced", newState: undefined },
    ];
    expect(await warnings(...steps)).toHaveLength(1);
  });

  test.each([
    { before: true, now: undefined, says: "its contents are lost" },
    { before: undefined, now: true, says: 'leaves storage volume "scratch" behind (keepVolume)' },
    { before: true, now: "[secret]", says: "its contents are lost" },
    { before: true, now: unknownValue, says: "its contents are lost" },
  ])("a rental that is replaced ends as the program says now: keepVolume was $before and is $now", async (keep) => {
    const withVolume = { ...inputs, storageVolume: { isNew: true, label: "scratch", sizeInGb: 100 } };
    const state = { ...withVolume, keepVolume: keep.before };
    const step = {
      op: "replace",
      urn: urn("node"),
      oldState: { type, id: "1", inputs: state, outputs: { ...state, status: "Running" } },
      newState: { type, inputs: { ...withVolume, keepVolume: keep.now } },
    };
    const all = await warnings(step);
    expect(all.find((warning) => warning.includes("scratch"))).toContain(keep.says);
  });

  test("do not mention what a refresh found gone", async () => {
    const stack = {
      urn: "urn:pulumi:dev::fleet::pulumi:pulumi:Stack::fleet-dev",
      op: "refresh",
      oldState: { type: "pulumi:pulumi:Stack" },
    };
    const gone = { ...replaced("gone", "1", { status: "Running" }), op: "delete", newState: undefined };
    const anew = { op: "create", urn: urn("gone"), newState: { type, inputs } };
    expect(await warnings(stack, gone, { ...stack, op: "same" }, anew)).toEqual([]);
    expect(await warnings(stack, { ...stack, op: "same" }, gone)).toHaveLength(1);
  });

  test("mention what the program ends, also where only some of the stack was refreshed first", async () => {
    const refreshed = { ...replaced("other", "2", { status: "Pending" }), op: "refresh" };
    const stack = {
      urn: "urn:pulumi:dev::fleet::pulumi:pulumi:Stack::fleet-dev",
      op: "same",
      oldState: { type: "pulumi:pulumi:Stack" },
    };
    const gone = { ...replaced("gone", "1", { status: "Running" }), op: "delete", newState: undefined };
    expect(await warnings(refreshed, stack, { ...refreshed, op: "same" }, gone)).toHaveLength(1);
  });
});
