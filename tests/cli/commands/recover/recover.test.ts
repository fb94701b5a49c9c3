import { recoverCommand } from "../../../../cli/commands/recover";
import { recover } from "../../../../cli/commands/recover/recover";
import type * as activity from "../../../../cli/stack/activity";
import { Stack } from "../../../../cli/stack/stack";
import { parseState, type State } from "../../../../cli/stack/state";

jest.mock("../../../../cli/stack/activity", () => ({
  ...jest.requireActual<typeof activity>("../../../../cli/stack/activity"),
  readActivity: async () => ({ kind: "idle" }),
}));

const providerType = "pulumi:providers:gpufleet";
const urn = (type: string, name: string) => `urn:pulumi:dev::fleet::${type}::${name}`;

/** A stack whose only provider does not say where its service is. */
class UnaskedStack extends Stack {
  constructor(private readonly pending: object[]) {
    super({ cwd: "/" });
  }

  override async exportState(): Promise<State> {
    const nowhere = { urn: urn(providerType, "nowhere"), type: providerType, id: "id", inputs: {} };
    const deployment = { resources: [nowhere], pending_operations: this.pending };
    return parseState(JSON.stringify({ version: 3, deployment }));
  }

  override async importState(): Promise<void> {}

  override async readConfig() {
    return () => undefined;
  }

  override async fullName() {
    return "organization/fleet/dev";
  }
}

const others = { type: "creating", resource: { urn: urn("aws:s3:Bucket", "data"), type: "aws:s3:Bucket" } };

test.each([
  ["nothing is pending", []],
  ["something is pending", [others]],
])("An account that could not be asked may hide something, where %s", async (_, pending) => {
  const said: string[] = [];
  const options = { dryRun: true, force: true, say: (line: string) => void said.push(line) };
  expect(await recover(new UnaskedStack(pending), options)).toBe(false);
  expect(said.at(-1)).toMatch(
    /^Not included, because the account of provider "nowhere" could not be asked\. no base URL/,
  );
});

test("The help says all that --force does", () => {
  expect(recoverCommand().helpInformation().replace(/\s+/g, " ")).toContain(
    "with --nothing-made: drop a create whose label is listed",
  );
});
