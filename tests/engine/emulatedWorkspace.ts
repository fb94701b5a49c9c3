/** A workspace whose provider talks to an emulator of its own, in this process: steered and inspected without HTTP. */
import { createEmulator, defaults, type Emulator, type EmulatorOptions } from "../../emulator";
import { Workspace, type WorkspaceOptions, waitUntil } from "../../tools/workspace";

export interface EmulatedWorkspace {
  readonly workspace: Workspace;
  readonly emulator: Emulator;
  readonly url: string;
  dispose(): Promise<void>;
}

export async function createEmulatedWorkspace(
  options: WorkspaceOptions & { readonly emulator?: EmulatorOptions },
): Promise<EmulatedWorkspace> {
  // Ready and ended at once, unless a test is about waiting.
  const emulator = createEmulator({ provisionSeconds: 0, endSeconds: 0, ...options.emulator });
  const { url } = await emulator.listen();
  const workspace = await Workspace.create({
    ...options,
    config: { "gpufleet:baseUrl": url, ...options.config },
    env: { GPUFLEET_API_KEY: options.emulator?.apiKey ?? defaults.apiKey, ...options.env },
  });
  return {
    workspace,
    emulator,
    url,
    dispose: async () => {
      await workspace.dispose();
      await emulator.close();
    },
  };
}

/** Keeps every list of this path waiting for as long as a service that does not answer, and returns when one is waited for. */
export async function hangInList(emulator: Emulator, path: string): Promise<void> {
  emulator.faults.add({ match: { method: "GET", path }, times: 100, kind: "delay", ms: 50_000, when: "before" });
  const before = emulator.requests().total;
  await waitUntil("a list is asked for", () => emulator.requests().total > before);
}
