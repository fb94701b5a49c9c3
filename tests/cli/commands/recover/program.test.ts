import { programOf } from "../../../../cli/commands/recover/program";
import { urnOf } from "./interrupted";

const urn = urnOf("BareMetalRental", "train");

/** A program whose preview creates the resource with these inputs. */
function planning(inputs: object) {
  const steps = [{ op: "create", urn, newState: { urn, type: "BareMetalRental", inputs } }];
  return programOf({ pulumi: async () => JSON.stringify({ steps }) });
}

describe("What a program asks for", () => {
  test("is what its preview shows, with the label that it chooses", async () => {
    const inputs = { gpuCount: 8, label: "my-training" };
    expect(await planning(inputs).inputs(urn)).toEqual(inputs);
  });

  test("is neither the automatic label of the preview, nor what is masked or not yet known", async () => {
    const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
    const inputs = { gpuCount: 8, label: "train-zgfkv3-2d5fec4f-vkk34c", region: unknown, cudaVersion: "[secret]" };
    expect(await planning(inputs).inputs(urn)).toEqual({ gpuCount: 8 });
    expect(await planning(inputs).secrets(urn)).toEqual(["cudaVersion"]);
  });

  test("is nothing for what it does not have", async () => {
    expect(await planning({}).inputs(urnOf("BareMetalRental", "other"))).toEqual({});
  });
});
