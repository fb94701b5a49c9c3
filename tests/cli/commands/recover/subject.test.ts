import { planAdoption } from "../../../../cli/commands/recover/adopt";
import type { OpenAccount } from "../../../../cli/commands/recover/openAccounts";
import { planFrom, sortPending } from "../../../../cli/commands/recover/plan";
import { unresolvedEntry } from "../../../../cli/commands/recover/stateEntry";
import { type Settlement, subjectsOf } from "../../../../cli/commands/recover/subject";
import { partOf } from "../../../../cli/stack";
import type { PendingOperation, State, StateResource } from "../../../../cli/stack/state";
import type { Values } from "../../../../provider/lifecycle";
import { createRig, type Rig } from "../../../lifecycle/rig";
import {
  checked,
  managed,
  noOthers,
  noProgram,
  post,
  resourceOf,
  runningAt,
  searchOf,
  stateWith,
  urnOf,
} from "./interrupted";

const type = "BareMetalRental";
const urn = urnOf(type, "train");
const inputs = { gpuCount: 8, networkType: "ethernet", label: "train" };
const providerType = "pulumi:providers:pulumi-nodejs";
const providerUrn = (name: string) => `urn:pulumi:dev::fleet::${providerType}::${name}`;
const readInputs = (resource: StateResource) => resource.inputs ?? {};

const provider = (name: string): StateResource => ({
  urn: providerUrn(name),
  custom: true,
  id: `${name}-id`,
  type: providerType,
});
const at = (name: string, resource: StateResource): StateResource => ({
  ...resource,
  provider: `${providerUrn(name)}::${name}-id`,
});
/** The state of a program with two explicit providers. */
const stateOf = (resources: StateResource[], pending?: PendingOperation[]) =>
  stateWith([provider("one"), provider("two"), ...resources], pending);

/** The service of a provider, with the account of it that is open. */
function service(name: string) {
  const rig = createRig();
  const runtime = rig.startProvider();
  const has = ({ provider = "" }: StateResource) => provider.startsWith(`${providerUrn(name)}::`);
  const account = { title: name, config: () => undefined, namespaces: [""], has };
  const open = (state: State): OpenAccount => ({ account, part: partOf(state, account), runtime });
  const rent = async (asked: Values) => (await rig.run(post(rig, type, asked))).id;
  return { rig, runtime, open, rent };
}

/** Two services that count their ids alike. The first has a machine of the resource, and the state has it. */
async function moved() {
  const [one, two] = [service("one"), service("two")];
  const asked = checked(one.runtime, type, "train", inputs);
  const held = await one.rent(asked);
  const current = at("one", { ...resourceOf(type, "train", asked), id: held, outputs: asked });
  const unresolved = unresolvedEntry(
    managed(type, "train", asked),
    { fingerprint: "train", isChosenLabel: true, since: 0 },
    runningAt(0),
  );
  const beside = at("two", { ...unresolved, delete: true });
  const find = (state: State, settle: Settlement, programmed?: string) => {
    const opened = [one.open(state), two.open(state)];
    const known = { state, opened, notes: [], pending: sortPending(state, readInputs) };
    const program = { provider: async () => programmed && providerUrn(programmed) };
    return inBoth(one.rig, two.rig, subjectsOf({ ...known, program }, settle));
  };
  const titles = async (...args: Parameters<typeof find>) =>
    (await find(...args)).map(({ open }) => open.account.title);
  return { one, two, asked, held, current, beside, find, titles };
}

/** Lets the clocks of both go on until it is done. */
async function inBoth<Result>(one: Rig, two: Rig, work: Promise<Result>): Promise<Result> {
  return one.run(two.run(work));
}

describe("What a person speaks of", () => {
  test("is in the account of the unresolved create, not of the machine that it stands beside", async () => {
    const { two, asked, current, beside, titles } = await moved();
    await two.rent({ ...asked, label: "somebody" });
    const id = await two.rent(asked);
    const state = stateOf([current, beside]);
    expect(await titles(state, { kind: "adopt", id, urn })).toEqual(["two"]);
    expect(await titles(state, { kind: "nothingMade", urn })).toEqual(["two"]);
  });

  test("is in the account of the machine, where that lists it and that of the create does not", async () => {
    const { one, asked, current, beside, titles } = await moved();
    const id = await one.rent(asked);
    expect(await titles(stateOf([current, beside]), { kind: "adopt", id, urn })).toEqual(["one"]);
  });

  test("is in the account of the provider that the program gives it, also where the state has another one", async () => {
    const { two, asked, held, current, find } = await moved();
    expect(await two.rent(asked)).toBe(held);
    for (const known of [[], [current]]) {
      expect(await find(stateOf(known), { kind: "adopt", id: held, urn }, "two")).toMatchObject([
        { open: { account: { title: "two" } }, creates: [], provider: providerUrn("two") },
      ]);
    }
  });

  test("is every create of the resource, where nothing was created, in each account its own", async () => {
    const { asked, beside, find } = await moved();
    const pending = { type: "creating", resource: at("one", resourceOf(type, "train", asked)) };
    expect(await find(stateOf([beside], [pending]), { kind: "nothingMade", urn })).toMatchObject([
      { open: { account: { title: "one" } }, creates: [{ resource: pending.resource }] },
      { open: { account: { title: "two" } }, creates: [] },
    ]);
  });

  test("is refused where there is none, and where its account cannot be asked", async () => {
    const { current, find } = await moved();
    await expect(find(stateOf([current]), { kind: "nothingMade", urn })).rejects.toThrow(
      `refused, and nothing was changed: the state has no unresolved or interrupted create of ${urn}`,
    );
    const elsewhere = stateOf([provider("three"), at("three", { ...current, id: "unresolved:label-x" })]);
    await expect(find(elsewhere, { kind: "nothingMade", urn })).rejects.toThrow(
      'the account of BareMetalRental "train" cannot be asked',
    );
    await expect(find(elsewhere, { kind: "adopt", id: "7", urn })).rejects.toThrow(
      'the account of BareMetalRental "train" cannot be asked',
    );
  });

  test("is refused with what the state lacks, where the state has other providers only", async () => {
    const { find } = await moved();
    const { deployment, ...rest } = stateOf([]);
    const resources = deployment.resources?.filter((one) => !one.urn.endsWith("::default"));
    const state = { ...rest, deployment: { resources } };
    const adopt = { kind: "adopt", id: "1001", urn } as const;
    await expect(find(state, adopt)).rejects.toThrow(
      "refused, and nothing was changed: the state has no default dynamic provider, and the preview of the program does not show another one for this resource. Run `pulumi preview`: it must succeed, and create the resource.",
    );
    await expect(find(state, adopt, "new")).rejects.toThrow(
      'refused, and nothing was changed: the state has no provider "new", which the program gives this resource. Set adoptId in the program instead.',
    );
  });
});

describe("A machine that is taken over from another account than that of the one in the state", () => {
  test("stands in its place with its own provider, and what that ends is said", async () => {
    const { one, two, asked, held, current, beside } = await moved();
    const id = await two.rent(asked);
    expect(id).toBe(held);
    const state = stateOf([{ ...current, outputs: { ...asked, createdAt: "2026-01-01T00:00:00Z" } }, beside]);
    two.runtime.state = noOthers;
    const decision = await inBoth(
      one.rig,
      two.rig,
      planAdoption(
        searchOf(two.runtime),
        { id, urn, force: false },
        {
          ...{ state, part: two.open(state).part, pending: undefined, organization: "organization" },
          readInputs,
          program: noProgram,
          listsWith: () => one.runtime.lists,
        },
      ),
    );
    expect(decision?.line).toMatch(
      new RegExp(
        ` in place of ${held}, which the next \`pulumi up\` deletes\\. That terminates bare-metal rental ${held} "train" `,
      ),
    );
    const { after } = planFrom(state, decision ? [decision] : []);
    expect(after.deployment.resources?.slice(4)).toMatchObject([
      { id: held, provider: current.provider, delete: true },
      { id, provider: beside.provider },
    ]);
  });
});
