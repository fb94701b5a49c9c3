/** A stack beside an account on an emulator of its own, without an engine: the state is whatever the test says. */

import { listHoldings } from "../../../cli/account/holdings";
import type { Situation } from "../../../cli/account/situation";
import { createRuntime } from "../../../cli/stack/runtime";
import { Stack } from "../../../cli/stack/stack";
import { createEmulator, type Emulator, type EmulatorOptions } from "../../../emulator";
import type { Runtime } from "../../../provider/lifecycle";
import { automaticLabel, stackMark } from "../../../provider/shared/label";

const identity = { organization: "organization", project: "fleet", stack: "dev", namespace: "" };

export interface Account {
  emulator: Emulator;
  url: string;
  runtime: Runtime;
  /** A label as this stack, or one of the given name, would choose it for a resource of this name. */
  label(name: string, stack?: string): string;
  /** What the commands see, with nothing of it in the state. */
  situation(): Promise<Situation>;
  close(): Promise<void>;
}

export async function openAccount(options: EmulatorOptions = {}): Promise<Account> {
  const emulator = createEmulator({ ssh: false, provisionSeconds: 0, endSeconds: 0, ...options });
  const { url } = await emulator.listen();
  const runtime = createRuntime(() => undefined, { GPUFLEET_BASE_URL: url, GPUFLEET_API_KEY: "emulator-key" });
  return {
    emulator,
    url,
    runtime,
    label: (name, stack = identity.stack) =>
      automaticLabel(
        { organization: "organization", urn: `urn:pulumi:${stack}::fleet::t::${name}`, namespace: "" },
        () => 0,
      ),
    situation: async () => ({
      name: "fleet/dev",
      mark: stackMark(identity),
      own: [],
      unseen: [],
      ...(await listHoldings(runtime).then(({ holdings, notListed }) => ({ others: holdings, notListed }))),
      stack: new Stack({ cwd: "/" }),
      state: { version: 3, deployment: {} },
      runtime,
    }),
    close: async () => {
      await runtime.client.close();
      await emulator.close();
    },
  };
}
