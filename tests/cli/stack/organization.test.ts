import { organizationOf } from "../../../cli/stack";
import { originKey } from "../../../provider/lifecycle";

const type = "pulumi-nodejs:dynamic/gpufleet:BareMetalRental";
const urn = `urn:pulumi:dev::fleet::${type}::train`;
const stateWith = (...resources: { urn: string; type: string; id: string; inputs: Record<string, unknown> }[]) => ({
  version: 3,
  deployment: { resources },
});

/** A stack of this full name, and how often it was asked for that. */
function stackNamed(name: string) {
  let asked = 0;
  const fullName = async () => {
    asked += 1;
    return name;
  };
  return { stack: { fullName }, asked: () => asked };
}

describe("The organization of a stack", () => {
  test("is what its resources say, and then nobody is asked", async () => {
    const { stack, asked } = stackNamed("ada/fleet/dev");
    const state = stateWith({ urn, type, id: "1", inputs: { [originKey]: `acme/${urn}` } });
    expect([await organizationOf(state, stack), asked()]).toEqual(["acme", 0]);
  });

  test.each([
    ["ada/fleet/dev", "ada"],
    ["dev", "organization"],
  ])("without resources is that of the full name: %s", async (name, organization) => {
    expect(await organizationOf(stateWith(), stackNamed(name).stack)).toBe(organization);
  });
});
