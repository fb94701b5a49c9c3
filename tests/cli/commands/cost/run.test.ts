import type * as account from "../../../../cli/account";
import { run } from "../../../../cli/commands/cost/run";

jest.mock("../../../../cli/account", () => ({
  ...jest.requireActual<typeof account>("../../../../cli/account"),
  readStacks: async () => ({
    all: [{ situations: [{ runtime: { client: { serviceNow: () => 0 } } }] }],
    failed: [],
    close: async () => undefined,
  }),
  summarizeStacks: async () => {
    const nothing = { perHour: 0, known: 0, unknown: 0, estimated: false, spent: 0, spentUnknown: 0, resources: [] };
    return {
      ...{ stack: { name: "fleet/dev", ...nothing }, elsewhere: nothing, total: nothing, balance: 1, hoursLeft: null },
      ...{ notListed: [], unreadable: [{ what: "storage volumes", reason: "403" }], missing: [] },
    };
  },
}));

test("Metrics have what could not be read beside them, on standard error", async () => {
  const out = jest.spyOn(process.stdout, "write").mockImplementation(() => true);
  const complained = jest.spyOn(console, "error").mockImplementation(() => undefined);
  await run({ cwd: ".", stack: [], prometheus: true });
  const said = [out.mock.calls.flat().join(""), complained.mock.calls];
  jest.restoreAllMocks();
  expect(said).toEqual([
    expect.stringContaining("gpufleet_not_included 1\n"),
    [["Not included, because it could not be read: storage volumes: 403"]],
  ]);
});
