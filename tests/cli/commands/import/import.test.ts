import ts from "typescript";
import type { Situations } from "../../../../cli/account";
import { adoptingProgram } from "../../../../cli/commands/import/adoptingProgram";
import { whatToAdopt } from "../../../../cli/commands/import/run";
import type { State } from "../../../../cli/stack/state";
import { dynamicPrefix } from "../../../../provider/shared/typeToken";
import { type Account, openAccount } from "../../account/openAccount";

const made = Date.UTC(2026, 0, 1);
const networkType = "infiniband";

interface Held {
  name: string;
  type: string;
  id?: string | number;
  outputs?: Record<string, unknown>;
}

const entry = ({ name, type, id, outputs }: Held) => ({
  urn: `urn:pulumi:dev::fleet::${dynamicPrefix}${type}::${name}`,
  type: `${dynamicPrefix}${type}`,
  id: id === undefined ? undefined : String(id),
  inputs: outputs,
  outputs,
});

function stateOf(held: readonly Held[], pending: readonly Held[] = []): State {
  return {
    version: 3,
    deployment: {
      resources: held.map(entry),
      pending_operations: pending.map((one) => ({ type: "creating", resource: entry(one) })),
    },
  };
}

describe("gpufleet import", () => {
  let account: Account;

  beforeEach(async () => {
    account = await openAccount({ clock: { now: () => made } });
  });

  afterEach(() => account.close());

  interface Given {
    state?: State;
    others?: { name: string; state: State }[];
    ids?: string[];
    unread?: { name: string; reason: string }[];
  }

  async function adopting({ state, others = [], ids, unread = [] }: Given = {}) {
    const situation = await account.situation(state, { stacks: others, unread });
    const given: Pick<Situations, "situations" | "leftOut"> = { situations: [situation], leftOut: [] };
    return { ...(await whatToAdopt(given, ids)), now: made };
  }

  const program = async (given: Given = {}) => adoptingProgram(await adopting(given));
  const reasons = async (given: Given = {}) =>
    (await adopting(given)).refused.map(({ what, reason }) => [what.id, reason]);

  async function rentAll() {
    const { client } = account.runtime;
    const train = await client.createBareMetalRental({ gpuCount: 8, networkType, label: "train" });
    const reserved = { termType: "reserved", termPeriodDays: 30, discountPercentage: 10 } as const;
    await client.createBareMetalRental({ gpuCount: 16, networkType: "ethernet", gpuType: "h200", ...reserved });
    await client.createVmRental({ gpuCount: 2, region: "us-east-1", label: "train" });
    const volume = { region: "us-central-1", sizeInGb: 1024, label: "data" } as const;
    const { storageVolumeId } = await client.createStorageVolume(volume);
    await client.attachStorageVolume({ storageVolumeId, rentalIds: [train.id] });
    const [machine] = (await client.listMarketplaceMachines({ filters: {} })).instances;
    if (!machine) throw new Error("the marketplace is empty");
    const place = { cluster_name: machine.cluster_name, node_name: machine.id };
    await client.createMarketplaceInstance({ ...place, gpu_count: 2 });
  }

  test("writes a program with every input that a record shows, and with what is attached to what", async () => {
    await rentAll();
    const written = await program();
    const instance = /instance-\w+/.exec(written)?.[0] ?? "";
    const variable = instance.replace(/-(.)/, (_, first: string) => first.toUpperCase());
    expect(written).toBe(`// Written by \`gpufleet import\` for stack fleet/dev at 2026-01-01T00:00:00.000Z.
// \`up\` shows "create" for each resource, but creates nothing on the service: each adopts the one named by adoptId.
// After that, adoptId can be removed. \`destroy\` terminates these machines and deletes these volumes, like everything else of the stack.

import * as gpufleet from "pulumi-gpufleet";

// bare-metal rental 1001 "train": 8×h100 in us-central-1, Running, since 2026-01-01T00:00:00.000Z, $19.92/h
const train = new gpufleet.BareMetalRental("train", {
  adoptId: 1001,
  label: "train",
  region: "us-central-1",
  gpuType: "h100",
  gpuCount: 8,
  networkType: "infiniband",
});

// bare-metal rental 1002: 16×h200 in us-central-1, Running, since 2026-01-01T00:00:00.000Z, $47.38/h
const rental1002 = new gpufleet.BareMetalRental("rental-1002", {
  adoptId: 1002,
  region: "us-central-1",
  gpuType: "h200",
  gpuCount: 16,
  convertToOnDemandOnExpiry: true,
  networkType: "ethernet",
  termType: "reserved",
  termPeriodDays: 30,
  discountPercentage: 10,
});

// virtual-machine rental 1003 "train": 2×h100 in us-east-1, Running, since 2026-01-01T00:00:00.000Z, price unknown
const train2 = new gpufleet.VmRental("train-2", {
  adoptId: 1003,
  label: "train",
  region: "us-east-1",
  gpuType: "h100",
  gpuCount: 2,
});

// marketplace instance ${instance}: 2×RTX-4090, running, since 2026-01-01T00:00:00.000Z, $0.80/h
const ${variable} = new gpufleet.MarketplaceInstance("${instance}", {
  adoptId: "${instance}",
  gpuCount: 2,
  nodeName: "node-b7145365",
  clusterName: "cluster-us-central-1-2",
});

// storage volume 1 "data": 1024 GB in us-central-1, active, since 2026-01-01T00:00:00.000Z, $0.10/h
const data = new gpufleet.StorageVolume("data", {
  adoptId: 1,
  label: "data",
  region: "us-central-1",
  sizeInGb: 1024,
});

new gpufleet.VolumeAttachment("data-attachment", {
  adoptId: "1:1001",
  storageVolumeId: data.storageVolumeId,
  rentalIds: [train.rentalId],
});

export const ssh = {
  train: train.sshCommand,
  "rental-1002": rental1002.sshCommand,
  "train-2": train2.sshCommand,
  "${instance}": ${variable}.sshCommand,
};
`);
  });

  test("writes a program that compiles whatever the labels are", async () => {
    const { client } = account.runtime;
    const labels = [
      '"; process.exit(1); //',
      "*/ \n import fs",
      "class",
      "1st",
      "日本\u202e",
      "gpufleet",
      "ssh",
      ["a`$", "{b}`"].join(""),
    ];
    for (const label of labels) await client.createVmRental({ gpuCount: 1, label });
    const written = await program();
    const { diagnostics } = ts.transpileModule(written, { reportDiagnostics: true });
    expect(diagnostics).toEqual([]);
    const declared = [...written.matchAll(/^const (\w+) = new gpufleet\.VmRental\(/gm)].map(([, name]) => name);
    expect(new Set(declared).size).toBe(labels.length);
    expect(declared).not.toContain("gpufleet");
    expect(written).not.toMatch(/^\s*(import fs|process)/m);
  });

  test("leaves alone what the state of any stack has, and says so", async () => {
    const { client } = account.runtime;
    const rent = async (label: string) => (await client.createVmRental({ gpuCount: 1, label })).id;
    const [own, theirs, free] = [await rent("own"), await rent("theirs"), await rent("free")];
    const state = stateOf([{ name: "free", type: "VmRental", id: own }]);
    const others = [{ name: "fleet/prod", state: stateOf([{ name: "x", type: "VmRental", id: theirs }]) }];
    const { adoptable, refused } = await adopting({ state, others });
    expect(adoptable.map(({ what }) => what.id)).toEqual([String(free)]);
    expect(refused.map(({ what, reason }) => [what.id, reason])).toEqual([[String(theirs), "stack fleet/prod has it"]]);
    const written = await program({ state, others });
    expect(written).toContain(
      `// Not included:\n// - virtual-machine rental ${theirs} "theirs": 1×h100 in us-central-1, Running, since 2026-01-01T00:00:00.000Z, price unknown: stack fleet/prod has it.\n`,
    );
    // The state has a resource of that name, and the program of the stack has more than this.
    expect(written).toContain('const free = new gpufleet.VmRental("free-2", {');
    expect(written).toContain(
      "// Stack fleet/dev has resources already: add this to its program. Used instead of that program, it would delete them.\n",
    );
    await expect(adopting({ state, others, ids: [String(theirs)] })).rejects.toThrow(
      `refused: virtual-machine rental ${theirs} "theirs": stack fleet/prod has it`,
    );
    await expect(adopting({ state, others, ids: [String(own)] })).rejects.toThrow(
      `virtual-machine rental ${own} is in stack fleet/dev already, as "free"`,
    );
  });

  test("takes what another stack created, and nobody here has, only by its id", async () => {
    const { id } = await account.runtime.client.createVmRental({ gpuCount: 1, label: account.label("head", "prod") });
    expect(await reasons()).toEqual([
      [String(id), `another stack created it, and its state may be kept elsewhere. If it is not, add --id ${id}`],
    ]);
    const { adoptable, refused } = await adopting({ ids: [String(id)] });
    expect(adoptable.map(({ what }) => what.id)).toEqual([String(id)]);
    expect(refused).toEqual([]);
  });

  test("leaves alone what a create of any stack may have made whose result is not known", async () => {
    await rentAll();
    const instance = account.emulator.state().find(({ kind }) => kind === "marketplace-instance")?.id;
    const lost = stateOf([{ name: "gpu", type: "MarketplaceInstance", id: "unresolved:cluster/node/2" }]);
    const begun = stateOf([], [{ name: "login", type: "VmRental", outputs: { label: "train" } }]);
    const unknown = (name: string, stack: string) =>
      `it may be what the create of ${name} in stack ${stack} has made, whose result is not known yet: \`recover\` there settles that`;
    expect(await reasons({ state: lost, others: [] })).toEqual([[instance, unknown("gpu", "fleet/dev")]]);
    expect(await reasons({ state: begun, others: [{ name: "fleet/prod", state: lost }] })).toEqual([
      ["1003", unknown("login", "fleet/dev")],
      [instance, unknown("gpu", "fleet/prod")],
    ]);
  });

  test("leaves alone a volume that may be what the rental of any stack was created with, before its id is known", async () => {
    await rentAll();
    const made = { storageVolume: { isNew: true, label: "data", sizeInGb: 1024 } };
    const rental = (outputs: Record<string, unknown>, id = "1") => ({
      name: "big",
      type: "BareMetalRental",
      id,
      outputs,
    });
    const why =
      "it may be what the create of big in stack fleet/prod has made, whose result is not known yet: `recover` there settles that";
    const secret = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", ciphertext: "v1:a" };
    for (const state of [
      stateOf([], [rental(made)]),
      stateOf([rental(made, "unresolved:label-abcdefghijkl")]),
      stateOf([rental({ ...made, __volume: { before: [] } }, "77")]),
      stateOf([rental({ storageVolume: secret, __volume: { before: [] } }, "77")]),
    ]) {
      expect(await reasons({ others: [{ name: "fleet/prod", state }] })).toContainEqual(["1", why]);
    }
    const known = stateOf([rental({ ...made, __volume: { before: [], id: "9" } }, "77")]);
    expect((await reasons({ others: [{ name: "fleet/prod", state: known }] })).map(([id]) => id)).not.toContain("1");
  });

  test("refuses where the state of a stack cannot be read: it may have anything", async () => {
    await rentAll();
    await expect(adopting({ unread: [{ name: "fleet/old", reason: "access denied" }] })).rejects.toThrow(
      "refused: the state of fleet/old could not be read, and may have some of what runs in this account: access denied",
    );
  });

  test("names what no program can describe, and why", async () => {
    const { client } = account.runtime;
    const rentals = "/v2/alpha/on-demand";
    account.emulator.faults.add({
      match: { method: "POST", path: `${rentals}/bare-metal-rentals` },
      kind: "fail-provisioning",
    });
    const failed = await client.createBareMetalRental({ gpuCount: 8, networkType, label: "failed" });
    const strange = await client.createVmRental({ gpuCount: 1, label: "odd" });
    const path = `${rentals}/virtual-machine-rentals`;
    const headers = { authorization: "Bearer emulator-key" };
    const listed = await (await fetch(`${account.url}${path}`, { headers })).text();
    const body = JSON.parse(listed.replaceAll("h100", "a100"));
    account.emulator.faults.add({ match: { method: "GET", path }, kind: "status", status: 200, body, times: 9 });
    const situation = await account.situation();
    const { refused } = await whatToAdopt({ situations: [situation], leftOut: [] }, undefined);
    expect(refused.map(({ what, reason }) => [what.id, reason])).toEqual([
      [String(failed.id), "its status is Failed"],
      [String(strange.id), 'no program can describe it: gpuType must be one of h100, h200, b200, not "a100"'],
    ]);
  });

  test("takes only the ids that it is given, with the type where an id says too little", async () => {
    await rentAll();
    const { adoptable, attachments, remarks } = await adopting({ ids: ["StorageVolume:1"] });
    expect(adoptable.map(({ what }) => what.id)).toEqual(["1"]);
    expect(attachments).toEqual([]);
    expect(await program({ ids: ["StorageVolume:1"] })).toContain('\nnew gpufleet.StorageVolume("data", {\n');
    expect(remarks).toEqual([
      "Storage volume 1 is also attached to 1001, by what is not in this program: `destroy` waits until that has ended.",
    ]);
    expect((await adopting({ ids: ["1001"] })).remarks).toEqual([
      "Storage volume 1 is attached to 1001 and not in this program: it stays attached.",
    ]);
    await expect(adopting({ ids: ["7"] })).rejects.toThrow(
      "there is nothing with the id 7 in this account. `gpufleet ls --account` lists what there is",
    );
  });

  test("names what is in the account of an explicit provider, for which a program needs that provider", async () => {
    const { id } = await account.runtime.client.createVmRental({ gpuCount: 1, label: "there" });
    const situation = { ...(await account.situation()), account: 'provider "other"' };
    const { adoptable, refused } = await whatToAdopt({ situations: [situation], leftOut: [] }, undefined);
    expect(adoptable).toEqual([]);
    expect(refused.map(({ reason }) => reason)).toEqual([
      `it is in the account of provider "other". Write it by hand, with adoptId: "${id}" and that provider`,
    ]);
  });

  test("leaves an attachment to the stack whose state has it", async () => {
    await rentAll();
    const outputs = { storageVolumeId: 1, rentalIds: [1001] };
    const others = [
      { name: "fleet/prod", state: stateOf([{ name: "a", type: "VolumeAttachment", id: "1:1001", outputs }]) },
    ];
    expect((await adopting({ others })).attachments).toEqual([]);
  });
});
