import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
  constructor(
    private readonly pending: object[],
    private readonly isUsed = true,
    cwd = "/",
  ) {
    super({ cwd });
  }

  override async exportState(): Promise<State> {
    const nowhere = { urn: urn(providerType, "nowhere"), type: providerType, id: "id", inputs: {} };
    const type = "gpufleet:index:BareMetalRental";
    const used = { urn: urn(type, "train"), type, custom: true, id: "7", provider: `${nowhere.urn}::id` };
    const resources = this.isUsed ? [nowhere, used] : [nowhere];
    const deployment = { resources, pending_operations: this.pending };
    return parseState(JSON.stringify({ version: 3, deployment }));
  }

  override async name() {
    return "dev";
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
    /^Not included, because the account of provider "nowhere" could not be asked: .*"train".* no base URL/,
  );
});

test("An account of which the stack has nothing hides nothing", async () => {
  expect(await recover(new UnaskedStack([], false), { dryRun: true, force: true, say: () => {} })).toBe(true);
});

/** One that was destroyed: what a killed run has made may still be there. */
class EmptyStack extends UnaskedStack {
  override async exportState(): Promise<State> {
    return { version: 3, deployment: {} };
  }
}

test("An empty stack that could not be asked about may have lost something", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "gpufleet-"));
  writeFileSync(join(cwd, "Pulumi.yaml"), "name: fleet\nruntime: nodejs\n");
  const said: string[] = [];
  const options = { dryRun: true, force: true, say: (line: string) => void said.push(line) };
  expect(await recover(new EmptyStack([], true, cwd), options)).toBe(false);
  rmSync(cwd, { recursive: true });
  expect(said).toEqual([expect.stringMatching(/^The account was not looked at: /)]);
});

/** One whose backend fails at a moment of an import. */
class FailingStack extends UnaskedStack {
  private isImported = false;

  constructor(
    cwd: string,
    private readonly fails: "the next export" | "what comes after",
  ) {
    super([], true, cwd);
  }

  override async exportState(): Promise<State> {
    if (this.isImported && this.fails === "the next export") throw new Error("the backend does not answer");
    const root = { urn: urn("pulumi:pulumi:Stack", "fleet-dev"), type: "pulumi:pulumi:Stack", custom: false };
    const provider = { urn: urn("pulumi:providers:pulumi-nodejs", "default"), custom: true, id: "id" };
    const resources = [root, { ...provider, type: "pulumi:providers:pulumi-nodejs" }];
    const deployment = { resources, pending_operations: this.isImported ? [] : [others] };
    return parseState(JSON.stringify({ version: 3, deployment }));
  }

  override async importState() {
    this.isImported = true;
  }

  override async fullName() {
    if (this.isImported) throw new Error("the backend does not answer");
    return super.fullName();
  }
}

test.each(["the next export", "what comes after"] as const)(
  "Where the copy of the former state is, is said whatever fails after the import (%s)",
  async (fails) => {
    const cwd = mkdtempSync(join(tmpdir(), "gpufleet-"));
    writeFileSync(join(cwd, "Pulumi.yaml"), "name: fleet\nruntime: nodejs\n");
    const said: string[] = [];
    const options = { dryRun: false, force: true, say: (line: string) => void said.push(line) };
    const error: unknown = await recover(new FailingStack(cwd, fails), options).catch((failure: unknown) => failure);
    rmSync(cwd, { recursive: true });
    expect([...said, String(error)].join("\n")).toMatch(/Copy of the previous state: .*\.json/);
    expect(String(error)).toContain("the backend does not answer");
  },
);

test("The help says all that --force does", () => {
  expect(recoverCommand().helpInformation().replace(/\s+/g, " ")).toContain(
    "with --nothing-made: drop a create whose label is listed",
  );
});
