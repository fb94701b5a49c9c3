/** A stack beside an account on an emulator of its own, without an engine: the state is whatever the test says. */

import { listHoldings } from "../../../cli/account/holdings";
import { type Situation, situationOf } from "../../../cli/account/situation";
import type { OtherStacks } from "../../../cli/stack/otherStacks";
import { commandRuntime } from "../../../cli/stack/runtime";
import { Stack } from "../../../cli/stack/stack";
import type { State } from "../../../cli/stack/state";
import { createEmulator, type Emulator, type EmulatorOptions } from "../../../emulator";
import type { Runtime } from "../../../provider/lifecycle";
import { automaticLabel } from "../../../provider/shared/label";

const identity = { organization: "organization", project: "fleet", stack: "dev" };

export interface Account {
  emulator: Emulator;
  url: string;
  runtime: Runtime;
  /** When the commands look. Default: by the clock of the emulator. */
  now?: number;
  /** A label as this stack, or one of the given name, would choose it for a resource of this name. */
  label(name: string, stack?: string): string;
  /** What the commands see beside this state, which is empty unless given, and beside these other stacks. */
  situation(state?: State, others?: Partial<OtherStacks>, stack?: string): Promise<Situation>;
  close(): Promise<void>;
}

export async function openAccount(
  options: EmulatorOptions = {},
  config: Readonly<Record<string, string>> = {},
): Promise<Account> {
  const emulator = createEmulator({ ssh: false, provisionSeconds: 0, endSeconds: 0, ...options });
  const { url } = await emulator.listen();
  const runtime = commandRuntime((key) => config[key], { GPUFLEET_BASE_URL: url, GPUFLEET_API_KEY: "emulator-key" });
  const account: Account = {
    emulator,
    url,
    runtime,
    label: (name, stack = identity.stack) =>
      automaticLabel(
        { organization: "organization", urn: `urn:pulumi:${stack}::fleet::t::${name}`, namespace: "" },
        () => 0,
      ),
    situation: async (state = { version: 3, deployment: {} }, others = {}, name = identity.stack) =>
      situationOf(
        {
          stack: new Stack({ cwd: "/" }),
          state,
          identity: { ...identity, stack: name },
          runtime,
          now: account.now ?? options.clock?.now() ?? Date.now(),
          otherStacks: async () => ({ stacks: [], unread: [], ...others }),
        },
        await listHoldings(runtime, state),
      ),
    close: async () => {
      await runtime.client.close();
      await emulator.close();
    },
  };
  return account;
}
