import { fullName, readStackName, shortName } from "../../provider/shared/stackName";

describe("A name of a stack", () => {
  test.each([
    ["dev", { stack: "dev" }],
    ["acme/dev", { organization: "acme", stack: "dev" }],
    ["acme/fleet/dev", { organization: "acme", project: "fleet", stack: "dev" }],
  ])("has the parts that stand in it: %s", (name, parts) => {
    expect(readStackName(name)).toEqual(parts);
  });

  test("is told to pulumi in full, and to people with its organization only where there are several", () => {
    const own = { organization: "organization", project: "fleet", stack: "dev" };
    expect([fullName(own), shortName(own)]).toEqual(["organization/fleet/dev", "fleet/dev"]);
    const acme = { ...own, organization: "acme" };
    expect([fullName(acme), shortName(acme)]).toEqual(["acme/fleet/dev", "acme/fleet/dev"]);
    const unknown = { ...own, organization: "" };
    expect([fullName(unknown), shortName(unknown)]).toEqual(["fleet/dev", "fleet/dev"]);
  });
});
