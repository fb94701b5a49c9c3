import * as pulumi from "@pulumi/pulumi";
import { setAllConfig } from "@pulumi/pulumi/runtime";

/** What a run with this configuration is told, however many resources it has. */
function warningsFor(config: Record<string, string>, secretKeys: string[]): string[] {
  const warn = jest.spyOn(pulumi.log, "warn").mockImplementation(async () => undefined);
  setAllConfig(config, secretKeys);
  jest.isolateModules(() => {
    jest.doMock("@pulumi/pulumi", () => pulumi);
    const { warnAboutPlainKey } = require("../../sdk/plainKeyWarning");
    warnAboutPlainKey();
    warnAboutPlainKey();
  });
  const said = warn.mock.calls.map(([message]) => message);
  warn.mockRestore();
  setAllConfig({});
  return said;
}

const key = "gpufleet:apiKey";

test("a key that is stored in plain text gives one warning, which says how to fix it and does not show the key", () => {
  expect(warningsFor({ [key]: "sk-123456" }, [])).toEqual([
    "gpufleet:apiKey is stored in plain text, in the stack's configuration and, with dynamic resources, in its state. Replace the key, then store the new one with `pulumi config set --secret gpufleet:apiKey`, or set GPUFLEET_API_KEY in the environment, which is never stored.",
  ]);
});

test("a key that is stored as a secret gives none", () => {
  expect(warningsFor({ [key]: "sk-123456" }, [key])).toEqual([]);
});

test("no key in the configuration gives none", () => {
  expect(warningsFor({ "gpufleet:baseUrl": "https://gpu.example" }, [])).toEqual([]);
});
