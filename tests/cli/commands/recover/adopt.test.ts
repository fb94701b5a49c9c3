import { type Adoption, planAdoption } from "../../../../cli/commands/recover/adopt";
import type { ManagedResource } from "../../../../cli/commands/recover/managedResource";
import { gapNotes, hintsAboutOrphans } from "../../../../cli/commands/recover/orphanHints";
import { planFrom } from "../../../../cli/commands/recover/plan";
import { unresolvedEntry } from "../../../../cli/commands/recover/stateEntry";
import type { State, StateResource } from "../../../../cli/stack/state";
import { fitForTerminal } from "../../../../cli/terminal/output";
import { noWitness, type Values, whereKey } from "../../../../provider/lifecycle";
import { readUrn } from "../../../../provider/shared/urn";
import { separateNames } from "../../../faults/simulation/separateNames";
import { baseUrl, createRig, type ProviderProcess, paths, type Rig } from "../../../lifecycle/rig";
import { changingList } from "../../../lifecycle/wire";
import {
  checked,
  managed,
  noOthers,
  noProgram,
  post,
  resourceOf,
  runningAt,
  searchOf,
  startAlone,
  stateWith,
  urnOf,
} from "./interrupted";

const type = "BareMetalRental";
const inputs = { gpuCount: 8, networkType: "ethernet" };
const urn = urnOf(type, "train");
const { stack, project } = readUrn(urn);
const identity = { organization: "organization", project, stack };

/** A machine that a provider made before it was killed, in a state that knows nothing of it. */
async function lost() {
  const rig = createRig();
  // What becomes of the inputs once it is seen.
  const { [whereKey]: _, ...asked } = checked(rig.startProvider(), type, "train", inputs);
  const { id } = await rig.run(post(rig, type, asked));
  rig.emulator.clock.advance(60);
  const adopt = (
    state: State,
    word: Partial<Adoption> = {},
    { pending, program = {}, secrets = [] }: { pending?: ManagedResource; program?: Values; secrets?: string[] } = {},
  ) =>
    rig.run(
      planAdoption(
        searchOf(startAlone(rig)),
        { id, urn, force: false, ...word },
        {
          state,
          pending,
          readInputs: (resource) => resource.inputs ?? {},
          program: { inputs: async () => program, secrets: async () => secrets },
          organization: "organization",
        },
      ),
    );
  return { rig, asked, id, adopt };
}

/** A provider of the only stack, to which the record of this one makes no sense. */
function startWhereUnreadable(rig: Rig, id: string): ProviderProcess {
  const wire = changingList(paths.bareMetal, (items) =>
    items.map((item) => (String(item["id"]) === id ? { ...item, label: ["odd"] } : item)),
  );
  const runtime = rig.startProvider({}, { wire });
  runtime.state = noOthers;
  return runtime;
}

describe("A machine that is taken over without proof", () => {
  test("has its inputs rebuilt from the record where the engine kept none", async () => {
    const { asked, id, adopt } = await lost();
    const decision = await adopt(stateWith([]));
    expect(decision?.entry).toMatchObject({
      ...resourceOf(type, "train", asked),
      id,
      outputs: { ...asked, status: "Running" },
    });
  });

  test("has what its record does not show from the program", async () => {
    const { asked, id, adopt } = await lost();
    const program = { ...inputs, cudaVersion: "cuda12.8", expiresAt: "8h" };
    const decision = await adopt(stateWith([]), {}, { program });
    expect(decision?.entry).toMatchObject({
      id,
      inputs: { ...asked, ...program },
      outputs: { cudaVersion: "cuda12.8", expiresAtTime: expect.any(String) },
    });
    await expect(adopt(stateWith([]), {}, { program: { gpuCount: 16 } })).rejects.toThrow("gpuCount is 8, not 16");
  });

  test("has as a secret what the program keeps secret, in the inputs and in the outputs, and says it nowhere", async () => {
    const { asked, adopt } = await lost();
    const decision = await adopt(stateWith([]), {}, { secrets: ["label", "cudaVersion"] });
    const label = {
      "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
      plaintext: JSON.stringify(asked["label"]),
    };
    expect(decision?.entry).toMatchObject({ inputs: { label, gpuCount: 8 }, outputs: { label } });
    expect(fitForTerminal(decision?.line ?? "")).not.toContain(asked["label"]);
  });

  test("keeps what the engine had noted, where it did", async () => {
    const { asked, id, adopt } = await lost();
    const noted = { ...asked, cudaVersion: "cuda12.8" };
    const decision = await adopt(stateWith([]), {}, { pending: managed(type, "train", noted) });
    expect(decision?.entry).toMatchObject({ id, inputs: noted, outputs: { cudaVersion: "cuda12.8" } });
  });

  test("stands beside the one that it replaces", async () => {
    const { asked, id, adopt } = await lost();
    const old = { ...resourceOf(type, "train", { ...asked, gpuCount: 16 }), id: "7", outputs: {} };
    const decision = await adopt(stateWith([old]));
    expect(decision?.line).toContain("in place of 7, which the next `pulumi up` deletes");
    const { after } = planFrom(stateWith([old]), decision ? [decision] : []);
    expect(after.deployment.resources?.slice(2)).toMatchObject([
      { id: "7", delete: true },
      { id, inputs: { gpuCount: 8 } },
    ]);
  });

  test("is left alone when the state has it", async () => {
    const { asked, id, adopt } = await lost();
    expect(await adopt(stateWith([{ ...resourceOf(type, "train", asked), id }]))).toBeUndefined();
    await expect(adopt(stateWith([{ ...resourceOf(type, "other", asked), id }]))).rejects.toThrow(
      `refused, and nothing was changed: bare-metal rental ${id} is already in the state, as ${urnOf(type, "other")}`,
    );
  });

  test("is left alone when the state has it by another of its names", async () => {
    const type = "MarketplaceInstance";
    const rig = createRig();
    const [machine] = (await rig.run(rig.client.listMarketplaceMachines({ filters: {} }))).instances;
    const asked = { clusterName: machine?.cluster_name, nodeName: machine?.id, gpuCount: 1 };
    const { id } = await rig.run(post(rig, type, asked));
    rig.emulator.clock.advance(60);
    const adopt = (name: string) =>
      rig.run(
        planAdoption(
          searchOf(rig.startProvider({}, { wire: separateNames })),
          { id, urn: urnOf(type, "bargain"), force: false },
          {
            state: stateWith([{ ...resourceOf(type, name, asked), id: `name-of-${id}` }]),
            pending: undefined,
            readInputs: (resource) => resource.inputs ?? {},
            program: noProgram,
            organization: "organization",
          },
        ),
      );
    expect(await adopt("bargain")).toBeUndefined();
    await expect(adopt("other")).rejects.toThrow(`${id} is already in the state, as ${urnOf(type, "other")}`);
  });

  test("is refused where another resource created it, unless it is forced", async () => {
    const { adopt } = await lost();
    const word = { urn: urnOf(type, "other") };
    await expect(adopt(stateWith([]), word)).rejects.toThrow("was created by another resource than");
    expect(await adopt(stateWith([]), { ...word, force: true })).toMatchObject({ entry: { urn: word.urn } });
  });

  test("takes the place of the unresolved create that it is the result of", async () => {
    const { rig, adopt } = await lost();
    const chosen = checked(rig.startProvider(), type, "train", { ...inputs, label: "train", cudaVersion: "cuda12.8" });
    const { id } = await rig.run(post(rig, type, chosen));
    const fingerprint = { fingerprint: "train", isChosenLabel: true, since: 0 };
    const state = stateWith([unresolvedEntry(managed(type, "train", chosen), fingerprint, runningAt(0))]);
    const decision = await adopt(state, { id });
    expect(decision?.line).toMatch(/ is added to the state in place of unresolved:label-[\w-]{12}\.$/);
    const { after } = planFrom(state, decision ? [decision] : []);
    expect(after.deployment.resources?.slice(2)).toMatchObject([
      { id, inputs: chosen, outputs: { label: "train", cudaVersion: "cuda12.8", __where: { address: baseUrl } } },
    ]);
    expect(after.deployment.resources?.at(-1)?.outputs).not.toHaveProperty("lostAt");
  });

  test.each([
    { createdAt: "2026-09-01T00:00:00Z", says: "in place of 7, which the next `pulumi up` deletes.", kept: "adopted" },
    { createdAt: "2030-01-01T00:00:00Z", says: "deleted by the next `pulumi up`: 7 was created after it.", kept: "7" },
  ])("settles the create that stands unresolved beside another: $says", async ({ createdAt, says, kept }) => {
    const { rig, adopt } = await lost();
    const chosen = checked(rig.startProvider(), type, "train", { ...inputs, label: "train", cudaVersion: "cuda12.8" });
    const { id } = await rig.run(post(rig, type, chosen));
    const fingerprint = { fingerprint: "train", isChosenLabel: true, since: 0 };
    const unresolved = unresolvedEntry(managed(type, "train", chosen), fingerprint, runningAt(0));
    const healthy = { ...resourceOf(type, "train", { ...chosen, gpuCount: 16 }), id: "7", outputs: { createdAt } };
    const state = stateWith([healthy, { ...unresolved, delete: true }]);
    const decision = await adopt(state, { id });
    expect(decision?.line).toContain(says);
    const { after } = planFrom(state, decision ? [decision] : []);
    const brief = after.deployment.resources?.slice(2).map((one) => [one.id, one.delete ?? false]);
    expect(brief).toEqual([
      ["7", kept !== "7"],
      [id, kept === "7"],
    ]);
    expect(after.deployment.resources?.at(-1)?.inputs).toEqual(chosen);
  });

  test("must be what the unresolved create asked for", async () => {
    const { rig, id, adopt } = await lost();
    const chosen = checked(rig.startProvider(), type, "train", { ...inputs, gpuCount: 16, label: "train" });
    const fingerprint = { fingerprint: "train", isChosenLabel: true, since: 0 };
    const state = stateWith([unresolvedEntry(managed(type, "train", chosen), fingerprint, runningAt(0))]);
    await expect(adopt(state, { id })).rejects.toThrow("gpuCount is 8, not 16");
  });

  async function adoptBeside(holder: string, outputs: Values) {
    const { rig, id, asked } = await lost();
    const runtime = rig.startProvider();
    runtime.state = {
      ...noOthers,
      elsewhere: async () => [{ urn: holder, type, id, outputs }],
    };
    const context = {
      state: stateWith([]),
      pending: managed(type, "train", asked),
      readInputs: () => ({}),
      program: noProgram,
      organization: "organization",
    };
    return rig.run(planAdoption(searchOf(runtime), { id, urn, force: true }, context));
  }

  test("is refused where another stack of the backend has it, or another provider of this one", async () => {
    const holder = urn.replace(":dev:", ":prod:");
    await expect(adoptBeside(holder, {})).rejects.toThrow(
      `refused, and nothing was changed: bare-metal rental 1001 is in the state of another stack, as ${holder}`,
    );
    const own = urnOf(type, "other");
    await expect(adoptBeside(own, { __where: { address: baseUrl } })).rejects.toThrow(
      `refused, and nothing was changed: bare-metal rental 1001 is already in the state, as ${own}`,
    );
  });

  test("is refused where other stacks could not be read, unless it is forced", async () => {
    const { rig, id } = await lost();
    const take = (force: boolean) => {
      const runtime = rig.startProvider();
      runtime.state = noWitness;
      const context = {
        state: stateWith([]),
        pending: undefined,
        readInputs: () => ({}),
        program: noProgram,
        organization: "organization",
      };
      return rig.run(planAdoption(searchOf(runtime), { id, urn, force }, context));
    };
    await expect(take(false)).rejects.toThrow(
      "refused, and nothing was changed: The states of other stacks could not all be read, and one of them may have it: `gpufleet orphans` names them. Pass --force to take it over anyway.",
    );
    expect((await take(true))?.entry).toMatchObject({ id });
  });

  test("is taken over where another stack has its id for a machine of another service", async () => {
    const far = { __where: { address: "https://far.example" } };
    expect((await adoptBeside(urn.replace(":dev:", ":prod:"), far))?.entry).toMatchObject({ id: "1001" });
  });

  test("is refused where it does not match the resource", async () => {
    const { asked, adopt } = await lost();
    const pending = managed(type, "train", { ...asked, gpuCount: 16 });
    await expect(adopt(stateWith([]), {}, { pending })).rejects.toThrow(
      "does not match the resource: gpuCount is 8, not 16. Pass --force to take it over anyway.",
    );
  });

  test.each([true, false])("shows what it is where it is forced (record of its create: %s)", async (isRecorded) => {
    const { asked, adopt } = await lost();
    const wanted = { ...asked, gpuCount: 16 };
    const known = isRecorded ? { pending: managed(type, "train", wanted) } : { program: { gpuCount: 16 } };
    const decision = await adopt(stateWith([]), { force: true }, known);
    // So that the next up sees that they differ.
    expect(decision?.entry).toMatchObject({ inputs: { gpuCount: 16 }, outputs: { gpuCount: 8 } });
  });

  test("is refused where there is none, where the URN is another stack's, and where nothing is rented", async () => {
    const { adopt } = await lost();
    await expect(adopt(stateWith([]), { id: "4" })).rejects.toThrow("there is no bare-metal rental 4 to take over");
    await expect(adopt(stateWith([]), { urn: urn.replace(":dev:", ":prod:") })).rejects.toThrow(
      "does not belong to stack dev of project fleet. Its URNs begin with urn:pulumi:dev::fleet::",
    );
    await expect(adopt(stateWith([]), { urn: urnOf("VolumeAttachment", "it") })).rejects.toThrow(
      /cannot be taken over: only BareMetalRental, VmRental, StorageVolume, .*MarketplaceInstance\b.* can$/,
    );
  });
});

describe("A machine in the place of one that runs", () => {
  const volume = { storageVolume: { isNew: true, label: "scratch", sizeInGb: 512 } };
  const described = (id: string) =>
    `bare-metal rental ${id} "train-[\\w-]+" \\(Running, 8×h100 in us-central-1, \\$19\\.92/h, for \\S+\\)`;

  /** The state has one of the resource, and it runs. */
  async function beside(more: Values = volume, createdAt = "2026-01-01T00:00:00Z") {
    const { rig, asked, id, adopt } = await lost();
    const other = checked(rig.startProvider(), type, "train", { ...inputs, ...more });
    const { id: held } = await rig.run(post(rig, type, other));
    rig.emulator.clock.advance(60);
    const current = { ...resourceOf(type, "train", other), id: held, outputs: { ...other, createdAt } };
    return { rig, asked, id, adopt, held, current, state: stateWith([current]) };
  }

  test("is refused with what it would end, its price and the data that is lost, unless it is forced", async () => {
    const { id, held, adopt, state } = await beside();
    const ends = `terminates ${described(held)} and deletes its storage volume with 512 GB of data\\.`;
    await expect(adopt(state)).rejects.toThrow(
      new RegExp(
        `^refused, and nothing was changed: The state has ${held} for this resource: with ${id} in its place, the next \`pulumi up\` ${ends} Pass --force to take it over anyway\\.$`,
      ),
    );
    expect((await adopt(state, { force: true }))?.line).toMatch(
      new RegExp(` in place of ${held}, which the next \`pulumi up\` deletes\\. That ${ends}$`),
    );
  });

  test("is said to lose no volume that is kept", async () => {
    const { held, adopt, state } = await beside({ ...volume, keepVolume: true });
    await expect(adopt(state)).rejects.toThrow(new RegExp(`terminates ${described(held)}\\. Pass --force`));
  });

  test("is refused where it is the one that would be ended, because the other is newer", async () => {
    const { id, held, adopt, state } = await beside(volume, "2030-01-01T00:00:00Z");
    await expect(adopt(state)).rejects.toThrow(
      new RegExp(
        `The state has ${held} for this resource, which was created after ${id}: the next \`pulumi up\` terminates ${described(id)} and deletes its storage volume with 512 GB of data\\. Pass --force`,
      ),
    );
  });

  test("needs no force where the program has asked for another one: its create is unresolved or was interrupted", async () => {
    const { rig, asked, held, adopt, current } = await beside();
    const unresolved = unresolvedEntry(
      managed(type, "train", asked),
      { fingerprint: "train", isChosenLabel: true, since: 0 },
      runningAt(rig.clock.now()),
    );
    const ends = new RegExp(
      `That terminates ${described(held)} and deletes its storage volume with 512 GB of data\\.$`,
    );
    expect((await adopt(stateWith([current, { ...unresolved, delete: true }])))?.line).toMatch(ends);
    expect((await adopt(stateWith([current]), {}, { pending: managed(type, "train", asked) }))?.line).toMatch(ends);
  });

  test("is pointed out, refused and taken over by force where the record of the other cannot be read", async () => {
    const { rig, asked, id, held, state } = await beside({});
    const runtime = startWhereUnreadable(rig, held);
    const { hints } = await rig.run(hintsAboutOrphans(runtime, state, identity));
    const other = `bare-metal rental ${held} (its record cannot be read)`;
    expect(hints).toEqual([expect.stringContaining(`The state has ${other} for the same resource`)]);
    const context = {
      ...{ state, pending: undefined, program: noProgram, organization: "organization" },
      readInputs: (resource: StateResource) => resource.inputs ?? {},
    };
    const adopt = (force: boolean) => rig.run(planAdoption(searchOf(runtime), { id, urn, force }, context));
    await expect(adopt(false)).rejects.toThrow(`the next \`pulumi up\` terminates ${other}. Pass --force`);
    expect(await adopt(true)).toMatchObject({ entry: { id, inputs: { label: asked["label"] } } });
  });

  test("is pointed out with both named; the command says the rest", async () => {
    const { rig, id, held, state } = await beside();
    const { hints } = await rig.run(hintsAboutOrphans(startAlone(rig), state, identity, { place: " -s dev" }));
    expect(hints).toEqual([
      expect.stringMatching(
        new RegExp(
          `^${described(id)} was created by this stack but is missing from its state, and there is no record of its creation\\. The state has ${described(held)} for the same resource, and only one of the two can stay\\. \`gpufleet recover -s dev --adopt ${id} --urn '${urn.replaceAll("$", "\\$")}'\` says which one the next \`pulumi up\` would terminate, and what is lost with it, and takes ${id} over with --force\\. \`gpufleet orphans -s dev\` says how to terminate ${id}\\.$`,
        ),
      ),
    ]);
  });
});

describe("A twin, which the same request has created as one in the state,", () => {
  async function twins(of = type, given: Values = inputs) {
    const rig = createRig();
    const asked = checked(rig.startProvider(), of, "train", given);
    const { id: held } = await rig.run(post(rig, of, asked));
    const { id: twin } = await rig.run(post(rig, of, asked));
    rig.emulator.clock.advance(60);
    const current = { ...resourceOf(of, "train", asked), id: held, outputs: { ...asked, __predecessors: [twin] } };
    const state = stateWith([current]);
    const hint = async () =>
      (await rig.run(hintsAboutOrphans(startAlone(rig), state, identity, { place: " --stack dev" }))).hints;
    const adopt = (force: boolean) =>
      rig.run(
        planAdoption(
          searchOf(startAlone(rig)),
          { id: twin, urn: urnOf(of, "train"), force },
          {
            state,
            pending: undefined,
            readInputs: (resource) => resource.inputs ?? {},
            program: noProgram,
            organization: "organization",
          },
        ),
      );
    return { rig, asked, held, twin, state, hint, adopt };
  }

  test("is never offered: recover says what it costs, and how it is ended with the other or alone", async () => {
    const { asked, held, twin, hint } = await twins();
    expect(await hint()).toEqual([
      `bare-metal rental ${twin} "${asked["label"]}" (Running, 8×h100 in us-central-1, $19.92/h, for 1m00s) was created by the same request as ${held}, which is in the state, and bills, too. \`pulumi destroy\` terminates both. To terminate ${twin} alone: \`gpufleet orphans --stack dev --delete ${twin} --yes\`.`,
    ]);
  });

  test("is refused in the place of the other, with what that would end, unless it is forced", async () => {
    const { asked, held, twin, adopt } = await twins(type, {
      ...inputs,
      storageVolume: { isNew: true, label: "scratch", sizeInGb: 512 },
    });
    const facts = `"${asked["label"]}" (Running, 8×h100 in us-central-1, $19.92/h, for 1m00s)`;
    await expect(adopt(false)).rejects.toThrow(
      `refused, and nothing was changed: bare-metal rental ${twin} ${facts} was created by the same request as ${held}, which is in the state, and bills, too. \`pulumi destroy\` terminates both. To terminate ${twin} alone: \`gpufleet orphans --delete ${twin} --yes\`. The state has ${held} for this resource: with ${twin} in its place, the next \`pulumi up\` terminates bare-metal rental ${held} ${facts} and deletes its storage volume with 512 GB of data. Pass --force to take it over anyway.`,
    );
    expect(await adopt(true)).toMatchObject({ entry: { id: twin } });
  });

  test("is named also where the record of the other cannot be read", async () => {
    const { rig, state, held } = await twins();
    const { hints } = await rig.run(hintsAboutOrphans(startWhereUnreadable(rig, held), state, identity));
    expect(hints).toEqual([
      expect.stringContaining(
        `was created by the same request as ${held}, which is in the state and may bill, too: its record cannot be read. \`pulumi destroy\` terminates both.`,
      ),
    ]);
  });

  test("that is a volume has no command that deletes it", async () => {
    const { twin, hint } = await twins("StorageVolume", { region: "us-central-1", sizeInGb: 512 });
    const [text = ""] = await hint();
    expect(text).toMatch(
      new RegExp(
        ` terminates both\\. To delete ${twin} alone, with its contents, see \`gpufleet orphans --stack dev\`\\.$`,
      ),
    );
    expect(text).not.toContain("--delete");
  });

  test("may take the place of the other once that has ended", async () => {
    const { rig, held, twin, hint, adopt } = await twins(type, inputs);
    await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: Number(held) }));
    expect((await hint())[0]).toContain(`To take it over: gpufleet recover --stack dev --adopt ${twin} `);
    expect(await adopt(false)).toMatchObject({ entry: { id: twin } });
  });

  test("is not offered while the other is only not listed: a refresh tells whether it has ended", async () => {
    const { rig, held, twin, hint } = await twins();
    await rig.run(rig.client.terminateRental({ rentalType: "bare-metal", rentalId: Number(held) }));
    rig.emulator.clock.advance(600);
    const [text = ""] = await hint();
    expect(text).toContain(
      `was created by the same request as ${held}, which is in the state but not listed now. If ${held} has ended, \`pulumi refresh\` puts ${twin} in its place. \`pulumi destroy\` terminates both. To terminate ${twin} alone: `,
    );
    expect(text).not.toContain("--adopt");
  });
});

describe("A machine that nobody recorded", () => {
  test("is not pointed out where another stack of the backend has it, as after a stack was renamed", async () => {
    const { rig, id } = await lost();
    const runtime = rig.startProvider();
    const elsewhere = async () => [{ urn: urn.replace(":dev:", ":prod:"), type, id, outputs: {} }];
    runtime.state = { ...noOthers, elsewhere };
    expect((await rig.run(hintsAboutOrphans(runtime, stateWith([]), identity))).hints).toEqual([]);
  });

  test("is pointed out where another stack has its id for a machine of its own", async () => {
    for (const outputs of [{ __where: { address: "https://far.example" } }, { label: "theirs" }]) {
      const { rig, id } = await lost();
      const runtime = rig.startProvider();
      const elsewhere = async () => [{ urn: urn.replace(":dev:", ":prod:"), type, id, outputs }];
      runtime.state = { ...noOthers, elsewhere };
      const { hints } = await rig.run(hintsAboutOrphans(runtime, stateWith([]), identity));
      expect(hints[0]).toContain(`gpufleet recover --adopt ${id} --urn '${urn}'`);
    }
  });

  test("is not pointed out where it was replaced and kept", async () => {
    const { rig, id, asked } = await lost();
    const successor = { ...resourceOf(type, "train", asked), id: "7", outputs: { __predecessors: [id] } };
    const { hints } = await rig.run(hintsAboutOrphans(startAlone(rig), stateWith([successor]), identity));
    expect(hints).toEqual([]);
  });

  test("is said to be perhaps another's where other stacks could not be read", async () => {
    const { rig, id } = await lost();
    const runtime = rig.startProvider();
    runtime.state = noWitness;
    const { hints, isWhole } = await rig.run(hintsAboutOrphans(runtime, stateWith([]), identity));
    expect(isWhole).toBe(false);
    expect(hints).toEqual([
      expect.stringMatching(
        new RegExp(
          `^bare-metal rental ${id} .* there is no record of its creation\\. The states of other stacks could not all be read, and one of them may have it: \`gpufleet orphans\` names them\\.$`,
        ),
      ),
    ]);
  });

  test("is pointed out though lists lag, a moment after the run that has made it", async () => {
    const { rig, id } = await lost();
    const failedAt = rig.clock.now();
    const match = { method: "GET", path: paths.bareMetal };
    rig.fault({ match, times: 1, kind: "stale-list", seconds: 90 });
    const { hints } = await rig.run(hintsAboutOrphans(startAlone(rig), stateWith([]), identity, { failedAt }));
    expect(hints).toEqual([expect.stringContaining(`bare-metal rental ${id} `)]);
  });

  test("is pointed out where the stack was destroyed since, with the command that terminates it", async () => {
    const { rig, id } = await lost();
    const empty: State = { version: 3, deployment: {} };
    const { hints } = await rig.run(hintsAboutOrphans(startAlone(rig), empty, identity, { place: " -s dev" }));
    expect(hints).toEqual([
      expect.stringMatching(
        `^bare-metal rental ${id} .* To terminate ${id}: \`gpufleet orphans -s dev --delete ${id} --yes\`\\.$`,
      ),
    ]);
  });

  test("is pointed out, with the command that takes it over", async () => {
    const { rig, id } = await lost();
    const { hints } = await rig.run(hintsAboutOrphans(startAlone(rig), stateWith([]), identity));
    expect(hints).toEqual([
      expect.stringMatching(
        `^bare-metal rental ${id} .*To take it over: gpufleet recover --adopt ${id} --urn '${urn}'$`,
      ),
    ]);
  });

  test("is pointed out also where the list of another kind fails; that list is named", async () => {
    const { rig } = await lost();
    rig.fault({ match: { method: "GET", path: paths.volumes }, times: 100, kind: "status", status: 500 });
    const found = await rig.run(hintsAboutOrphans(startAlone(rig), stateWith([]), identity));
    expect(found.hints).toHaveLength(1);
    expect(gapNotes(found)).toEqual([
      expect.stringMatching(
        /^The list of storage volumes could not be read: some may have been created by this stack and be missing from its state\. .*500.*\.$/,
      ),
    ]);
  });

  test("is not looked for among what has no label: a service without a marketplace hides nothing", async () => {
    const { rig } = await lost();
    rig.fault({ match: { method: "GET", path: paths.instances }, times: 100, kind: "status", status: 500 });
    const found = await rig.run(hintsAboutOrphans(startAlone(rig), stateWith([]), identity));
    expect(found).toMatchObject({ hints: [expect.any(String)], failed: [], unreadable: [] });
  });

  test("may be one whose record cannot be read: that is said", async () => {
    const { rig } = await lost();
    const body = [{ id: 7, label: ["odd"] }];
    rig.fault({ match: { method: "GET", path: paths.bareMetal }, times: 100, kind: "status", status: 200, body });
    const found = await rig.run(hintsAboutOrphans(startAlone(rig), stateWith([]), identity));
    expect({ hints: found.hints, failed: found.failed }).toEqual({ hints: [], failed: [] });
    expect(gapNotes(found)).toEqual([
      expect.stringMatching(
        /^The record of bare-metal rental 7 could not be read: it may have been created by this stack/,
      ),
    ]);
  });

  test("cannot be told where the service does not list its kind", async () => {
    const rig = createRig({ emulator: { dialect: "none" } });
    const found = await rig.run(hintsAboutOrphans(startAlone(rig), stateWith([]), identity));
    expect(found).toEqual({ hints: [], failed: [], unreadable: [], isWhole: true });
  });

  test("is not pointed out when the state has it, even unresolved, or when another stack created it", async () => {
    const { rig, asked, id } = await lost();
    for (const known of [id, `unresolved:${asked["label"]}`]) {
      const held = stateWith([{ ...resourceOf(type, "train", asked), id: known }]);
      expect((await rig.run(hintsAboutOrphans(startAlone(rig), held, identity))).hints).toEqual([]);
    }
    expect(
      (await rig.run(hintsAboutOrphans(startAlone(rig), stateWith([]), { ...identity, organization: "another" })))
        .hints,
    ).toEqual([]);
  });
});
