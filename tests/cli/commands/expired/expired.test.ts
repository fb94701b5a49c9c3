import { expiredJson, showExpired } from "../../../../cli/commands/expired/show";
import { type DestroyRequest, destroyExpired } from "../../../../cli/expired/destroy";
import { findExpired } from "../../../../cli/expired/find";
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

describe("gpufleet expired", () => {
  test("finds what is past its time, the longest overdue first, and nothing else", () => {
    const found = findExpired(
      state(
        rental("later", "2026-01-01T12:00:01Z"),
        rental("just", "2026-01-01T12:00:00Z"),
        rental("long", "2025-12-31T12:00:00Z"),
        rental("never", undefined),
        rental("replaced", "2025-01-01T00:00:00Z", { delete: true }),
        rental("nonsense", "soon"),
      ),
      now,
    );
    expect(found.map(({ name }) => name)).toEqual(["long", "just"]);
    expect(showExpired(found, now, plain)).toBe(
      `Expired: 2
  NAME  KIND               SIZE    REGION        STATUS   OVERDUE     $/H  COST SINCE
  long  bare-metal rental  8×h100  us-central-1  Running     1d0h  $19.92     $478.08
  just  bare-metal rental  8×h100  us-central-1  Running       0s  $19.92       $0.00`,
    );
    expect(JSON.parse(expiredJson(found, now)).expired[0]).toMatchObject({
      name: "long",
      overdueSeconds: 86_400,
      costSince: 478.08,
    });
  });

  test("says so where nothing has expired", () => {
    expect(showExpired(findExpired(state(), now), now, plain)).toBe("Nothing has expired.");
  });

  describe("--destroy", () => {
    const storageVolume = { isNew: true, label: "train-data", sizeInGb: 2048 };

    /** Destroys one expired rental with these properties, on an engine whose provider has ended it, or has not. */
    async function destroy(
      more: Record<string, unknown>,
      request: Partial<DestroyRequest> = {},
      { options = {}, isEnded = true }: { options?: object; isEnded?: boolean } = {},
    ) {
      const one = rental("train", "2025-01-01T00:00:00Z");
      const resource = { ...one, ...options, outputs: { ...one.outputs, ...more } };
      const ended: string[] = [];
      const stack = new Stack({ cwd: "/" });
      stack.endExpired = async (urns) => {
        ended.push(...urns);
        return "done";
      };
      stack.exportState = async () =>
        state({ ...resource, outputs: Object.assign({ ...resource.outputs }, isEnded && { __expired: true }) });
      const found = findExpired(state(resource), now);
      const whole = { yes: true, allowDataLoss: false, now, say: () => {}, ...request };
      const isDone = await destroyExpired(stack, found, whole);
      return { isDone, ended };
    }

    test("has the engine end what has expired, and nothing else", async () => {
      expect(await destroy({})).toEqual({ isDone: true, ended: [`urn:pulumi:dev::fleet::${type}::train`] });
      expect(await destroy({}, { yes: false })).toEqual({ isDone: false, ended: [] });
    });

    test("says so where a provider of another version has only refreshed it", async () => {
      await expect(destroy({}, {}, { isEnded: false })).rejects.toThrow(
        "train was not ended: the program may have another version of pulumi-gpufleet than this command. Run the command of that version.",
      );
    });

    test.each(["protect", "retainOnDelete"])("refuses to end what the option %s keeps", async (option) => {
      await expect(destroy({}, {}, { options: { [option]: true } })).rejects.toThrow(
        `refused, and nothing was destroyed: train (${option}) is protected by a resource option. Remove the option from the program and run \`pulumi up\`.`,
      );
    });

    test.each([
      ["that was created with it", { storageVolume }, "train-data (created with train)"],
      [
        "whose inputs are secret",
        { storageVolume: "[secret]", __volume: { id: "7" } },
        "volume of train (created with train)",
      ],
    ])("refuses to delete a volume %s", async (_which, more, name) => {
      await expect(destroy(more)).rejects.toThrow(
        `refused, and nothing was destroyed: ${name} would be deleted, too, with its contents. Add --allow-data-loss; or keep it, with keepVolume on the rental that it was created with.`,
      );
    });

    test("deletes it with --allow-data-loss, and does not speak of one that stays", async () => {
      expect(await destroy({ storageVolume }, { allowDataLoss: true })).toMatchObject({ isDone: true });
      expect(await destroy({ storageVolume, keepVolume: true })).toMatchObject({ isDone: true });
      expect(await destroy({ storageVolume: { isNew: false, storageVolumeId: 4 } })).toMatchObject({ isDone: true });
    });

    test("what has ended is expired no more", () => {
      const one = rental("train", "2025-01-01T00:00:00Z");
      expect(findExpired(state({ ...one, outputs: { ...one.outputs, ...{ __expired: true } } }), now)).toEqual([]);
    });
  });
});
