import { twinIn } from "../../../cli/account";

const type = "pulumi-nodejs:dynamic/gpufleet:BareMetalRental";
const label = "train-zgfkv3-2d5fec4f-vkk34c";
const createdAt = "2026-09-12T12:00:00Z";
const held = {
  urn: `urn:pulumi:dev::fleet::${type}::train`,
  type,
  id: "1042",
  outputs: { label, createdAt },
};
const state = { version: 3, deployment: { resources: [held] } };
const twin = { type: "BareMetalRental", id: "1044", label };

describe("What has the automatic label of one that the state has", () => {
  test.each([undefined, "2026-09-12T12:04:00Z"])("is its twin, if it was created at %s", (time) => {
    expect(twinIn(state, { ...twin, createdAt: time })).toEqual(held);
  });

  test("has a copy of the label, if it was created at another time", () => {
    expect(twinIn(state, { ...twin, createdAt: "2026-09-11T12:00:00Z" })).toBeUndefined();
  });

  test("is no twin of itself, nor of one with a label that a person chose", () => {
    expect(twinIn(state, { ...twin, id: "1042", createdAt })).toBeUndefined();
    expect(twinIn(state, { ...twin, label: "mine", createdAt })).toBeUndefined();
  });
});
