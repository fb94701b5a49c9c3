import { otherStacksOf, withOtherAccounts, witnessOf } from "../../../cli/stack/otherStacks";
import { PulumiError } from "../../../cli/stack/pulumi";
import { Stack } from "../../../cli/stack/stack";

const type = "pulumi-nodejs:dynamic/gpufleet:BareMetalRental";
const urn = (stack: string, project = "fleet") => `urn:pulumi:${stack}::${project}::${type}::train`;
const state = (...resources: object[]) => ({ version: 3, deployment: { resources } });

/** What `pulumi` answers, by its arguments. */
const answers: Readonly<Record<string, unknown>> = {
  "stack ls --all --fully-qualify-stack-names --json": [
    { name: "organization/fleet/dev" },
    { name: "organization/fleet/prod" },
    { name: "organization/web/dev" },
    { name: "organization/fleet/broken" },
  ],
  "stack export --stack organization/fleet/prod": state({
    urn: urn("prod"),
    type,
    id: "1001",
    outputs: { label: "train" },
  }),
  "stack export --stack organization/web/dev": { version: 3, deployment: null },
  "stack export --stack organization/fleet/dev": state({ urn: urn("dev"), type, id: "1", outputs: {} }),
};

describe("The other stacks of the backend", () => {
  const own = { organization: "organization", project: "fleet", stack: "dev" };
  let asked: string[];

  beforeEach(() => {
    asked = [];
  });

  function others(known = answers) {
    const stack = new Stack({ cwd: "/", stack: "dev" });
    stack.inBackend = async (...args) => {
      asked.push(args.join(" "));
      const answer = known[args.join(" ")];
      if (answer === undefined) throw new PulumiError(args.slice(0, 2).join(" "), "cannot read the checkpoint");
      return JSON.stringify(answer);
    };
    return otherStacksOf(stack, async () => own);
  }

  test("are read, of every project, and this one is not among them", async () => {
    const { stacks } = await others()();
    expect(stacks.map(({ name }) => name).sort()).toEqual(["fleet/prod", "web/dev"]);
  });

  test("are named where they cannot be read: what they hold is unknown", async () => {
    const { unread } = await others()();
    expect(unread).toEqual([
      { name: "fleet/broken", reason: "`pulumi stack export` failed: cannot read the checkpoint" },
    ]);
  });

  test("are unknown as a whole where they cannot be listed", async () => {
    const reason = "`pulumi stack ls` failed: cannot read the checkpoint";
    expect(await others({})()).toEqual({
      stacks: [],
      unread: [{ name: "the other stacks of the backend", reason }],
    });
  });

  test("have beside them what the stack has in its other accounts", async () => {
    const otherPart = { version: 3, deployment: { resources: [{ urn: urn("dev"), type, id: "7" }] } };
    const { stacks, unread } = await withOtherAccounts(others(), own, otherPart)();
    expect(stacks.map(({ name }) => name).sort()).toEqual(["fleet/dev", "fleet/prod", "web/dev"]);
    expect(unread).toHaveLength(1);
    const witness = witnessOf({ version: 3, deployment: {} }, withOtherAccounts(others(), own, otherPart));
    expect((await witness.elsewhere(own)).map(({ id }) => id)).toContain("7");
  });

  test("are what the provider's own code asks, and asked once", async () => {
    const read = others();
    const witness = witnessOf({ version: 3, deployment: { resources: [{ urn: urn("dev"), type, id: "1" }] } }, read);
    expect(await witness.entries(own)).toEqual([{ urn: urn("dev"), type: "BareMetalRental", id: "1", outputs: {} }]);
    const held = [{ urn: urn("prod"), type: "BareMetalRental", id: "1001", outputs: { label: "train" } }];
    expect(await witness.elsewhere(own)).toEqual(held);
    expect(await witness.elsewhere(own)).toEqual(held);
    expect(asked).toHaveLength(4);
  });
});
