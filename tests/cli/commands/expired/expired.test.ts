import { expiredJson, showExpired } from "../../../../cli/commands/expired/show";
import { type DestroyRequest, destroyExpired } from "../../../../cli/expired/destroy";
import { findExpired } from "../../../../cli/expired/find";
import { describeKept } from "../../../../cli/expired/kept";
import { Stack } from "../../../../cli/stack/stack";

const plain = (_style: string, text: string) => text;
const now = Date.UTC(2026, 0, 1, 12);
const type = "pulumi-nodejs:dynamic/gpufleet:BareMetalRental";

function rental(name: string, expiresAtTime: string | undefined, more: object = {}) {
  const outputs = {
    gpuType: "h100",
    gpuCount: 8,
    region: "us-central-1",
    status: "Running",
    costPerHour: 19.92,
    expiresAtTime,
  };
  return { urn: `urn:pulumi:dev::fleet::${type}::${name}`, type, id: "1", inputs: {}, outputs, ...more };
}

const state = (...resources: ReturnType<typeof rental>[]) => ({ version: 3, deployment: { resources } });

const find = (...resources: ReturnType<typeof rental>[]) =>
  findExpired({ state: state(...resources), by: { at: now } });

describe("gpufleet expired", () => {
  test("judges each by the clock of the service that has it", () => {
    const [here, there] = [rental("here", "2026-01-01T12:00:01Z"), rental("there", "2026-01-01T12:00:01Z")];
    const found = findExpired({ state: state(here), by: { at: now } }, { state: state(there), by: { at: now + 2000 } });
    expect(found.map(({ name }) => name)).toEqual(["there"]);
  });

  test("judges a time that a person has named by the clock of this machine, too", () => {
    const [time, hour] = ["2026-01-01T12:00:00Z", 3_600_000];
    const named = rental("named", time, { inputs: { expiresAt: time } });
    const reckoned = rental("reckoned", time, { inputs: { expiresAt: "8h" } });
    const by = (at: number, here: number) =>
      findExpired({ state: state(named, reckoned), by: { at, here } }).map(({ name }) => name);
    expect(by(now + hour, now - hour)).toEqual(["reckoned"]);
    expect(by(now - hour, now + hour)).toEqual([]);
    expect(by(now, now)).toEqual(["named", "reckoned"]);
  });

  test("finds what is past its time, the longest overdue first, and nothing else", () => {
    const found = find(
      rental("later", "2026-01-01T12:00:01Z"),
      rental("just", "2026-01-01T12:00:00Z"),
      rental("long", "2025-12-31T12:00:00Z"),
      rental("never", undefined),
      rental("replaced", "2025-01-01T00:00:00Z", { delete: true }),
      rental("nonsense", "soon"),
    );
    expect(found.map(({ name }) => name)).toEqual(["long", "just"]);
    expect(showExpired(found, plain, { isCertain: true })).toBe(
      `Expired: 2
  NAME  KIND               SIZE    REGION        STATUS   OVERDUE     $/H  COST SINCE
  long  bare-metal rental  8×h100  us-central-1  Running     1d0h  $19.92     $478.08
  just  bare-metal rental  8×h100  us-central-1  Running       0s  $19.92       $0.00`,
    );
    expect(JSON.parse(expiredJson(found)).expired[0]).toMatchObject({
      name: "long",
      overdueSeconds: 86_400,
      costSince: 478.08,
    });
  });

  test("the cost since then has the volume that would be deleted with it, and not one that is kept", () => {
    const anHourAgo = new Date(now - 3_600_000).toISOString();
    const storageVolume = { isNew: true, label: "scratch", sizeInGb: 64_000 };
    const withVolume = (name: string, more: object = {}) => {
      const one = rental(name, anHourAgo);
      const attachedStorage = [{ id: 7, sizeInGb: 64_000, costPerHour: 6.4 }];
      return { ...one, outputs: { ...one.outputs, storageVolume, attachedStorage, ...more } };
    };
    const found = find(
      withVolume("ends"),
      withVolume("kept", { keepVolume: true }),
      withVolume("unlisted", { attachedStorage: undefined }),
    );
    const { expired } = JSON.parse(expiredJson(found));
    expect(expired).toMatchObject([
      { name: "ends", costPerHour: 26.32, costSince: 26.32, unknown: 0 },
      { name: "kept", costPerHour: 19.92, costSince: 19.92, unknown: 0 },
      { name: "unlisted", costPerHour: 19.92, costSince: 19.92, unknown: 1 },
    ]);
    const shown = showExpired(found, plain, { isCertain: true });
    expect(shown).toMatch(/ends .* 1h00m +\$26\.32 +\$26\.32$/m);
    expect(shown).toMatch(/unlisted .* 1h00m +\$19\.92 \+ 1 unknown +\$19\.92 \+ 1 unknown$/m);
  });

  test("says so where nothing has expired", () => {
    expect(showExpired(find(), plain, { isCertain: true })).toBe("Nothing has expired.");
    expect(showExpired(find(), plain, { isCertain: false })).toBe(
      "Nothing has expired by the clock of this machine; a service could not be asked for the time.",
    );
  });

  describe("--destroy", () => {
    const storageVolume = { isNew: true, label: "train-data", sizeInGb: 2048 };

    /** Destroys expired rentals with these properties, on an engine whose provider ends them, or does not. */
    async function destroy(
      resources: readonly ReturnType<typeof rental>[],
      request: Partial<DestroyRequest> = {},
      { isEnded = true, unasked }: { isEnded?: boolean; unasked?: string } = {},
    ) {
      const ended: string[] = [];
      const stack = new Stack({ cwd: "/" });
      stack.endExpired = async (urns) => {
        ended.push(...urns);
        return "done";
      };
      stack.exportState = async () =>
        state(
          ...resources.map((one) => {
            const outputs = { ...one.outputs, __expired: isEnded && ended.includes(one.urn) };
            return { ...one, outputs };
          }),
        );
      const found = findExpired({ state: state(...resources), by: { at: now, unasked } });
      const whole = { yes: true, allowDataLoss: false, say: () => {}, ...request };
      const { destroyed, kept } = await destroyExpired(stack, found, whole);
      expect(destroyed.map(({ urn }) => urn)).toEqual(isEnded ? ended : []);
      return { ended: ended.map((urn) => urn.split("::").at(-1)), kept: describeKept(kept) };
    }

    const one = (more: object = {}, name = "train") => {
      const resource = rental(name, "2025-01-01T00:00:00Z");
      return { ...resource, outputs: { ...resource.outputs, ...more } };
    };

    test("has the engine end what has expired, and nothing else", async () => {
      expect(await destroy([one()])).toEqual({ ended: ["train"], kept: [] });
      expect(await destroy([one()], { yes: false })).toEqual({ ended: [], kept: ["train: add --yes to destroy it"] });
    });

    test("says so where a provider of another version has only refreshed it", async () => {
      expect((await destroy([one()], {}, { isEnded: false })).kept).toEqual([
        "train: the program may have another version of pulumi-gpufleet than this command. Run the command of that version.",
      ]);
    });

    test.each(["protect", "retainOnDelete"])(
      "keeps what the option %s protects, and ends the others",
      async (option) => {
        const protectedOnes = ["a", "b"].map((name) => ({ ...one({}, name), [option]: true }));
        expect(await destroy([...protectedOnes, one()])).toEqual({
          ended: ["train"],
          kept: [
            `a, b: the resource option ${option} protects it. Remove the option from the program and run \`pulumi up\`.`,
          ],
        });
      },
    );

    test("ends nothing by this machine's clock alone", async () => {
      expect(await destroy([one()], {}, { unasked: "no reply" })).toEqual({
        ended: [],
        kept: ["train: only this machine's clock says that it has expired: no reply"],
      });
    });

    test.each([
      ["that was created with it", { storageVolume }, "train-data (created with train)"],
      [
        "whose inputs are secret",
        { storageVolume: "[secret]", __volume: { id: "7" } },
        "volume of train (created with train)",
      ],
    ])("refuses to delete a volume %s", async (_which, more, name) => {
      expect(await destroy([one(more), one({}, "job")])).toEqual({
        ended: ["job"],
        kept: [
          `train: ${name} would be deleted, too, with its contents. Add --allow-data-loss; or keep it, with keepVolume on the rental that it was created with.`,
        ],
      });
    });

    test("deletes it with --allow-data-loss, and does not speak of one that stays", async () => {
      const ended = { ended: ["train"], kept: [] };
      expect(await destroy([one({ storageVolume })], { allowDataLoss: true })).toEqual(ended);
      expect(await destroy([one({ storageVolume, keepVolume: true })])).toEqual(ended);
      expect(await destroy([one({ storageVolume: { isNew: false, storageVolumeId: 4 } })])).toEqual(ended);
    });

    test("what has ended is expired no more", () => {
      expect(find(one({ __expired: true }))).toEqual([]);
    });
  });
});
