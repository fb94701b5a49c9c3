import type { Output } from "@pulumi/pulumi";
import { createEmulator, defaults, type Emulator, type EmulatorOptions } from "../../emulator";

/** An emulator that this process's environment points to, as a script's would. */
export async function startService(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = createEmulator({ provisionSeconds: 0, endSeconds: 0, ...options });
  const { url } = await emulator.listen();
  process.env["GPUFLEET_BASE_URL"] = url;
  process.env["GPUFLEET_API_KEY"] = defaults.apiKey;
  return emulator;
}

/** The value of an output, without an engine. */
export function resolved<Value>(output: Output<Value>): Promise<Value> {
  return new Promise((resolve) => {
    output.apply(resolve);
  });
}
