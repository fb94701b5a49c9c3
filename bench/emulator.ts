/** The service under the benchmark: the emulator in a process of its own. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { ToolError } from "../tools/bootstrap/command";
import { spawnEmulator } from "../tools/bootstrap/emulatorProcess";
import { local } from "../tools/bootstrap/paths";

export const apiKey = "bench-key";
export const collection = "/v2/alpha/on-demand/bare-metal-rentals";

export interface Service {
  url: string;
  reset(): Promise<void>;
  /** How often the bare-metal rentals were listed since the last reset. */
  listCalls(): Promise<number>;
  stop(): void;
}

const requests = z.object({ counts: z.record(z.string(), z.number()) });

/** `name` is for those that run side by side. */
export async function startService(
  { provision, end }: { provision: number; end: number },
  name = `${provision}-${end}`,
): Promise<Service> {
  mkdirSync(join(local, "bench"), { recursive: true });
  const started = await spawnEmulator(
    ["--api-key", apiKey, "--provision-seconds", String(provision), "--end-seconds", String(end), "--no-ssh"],
    join(local, "bench", `emulator-${name}.log`),
    { detached: false },
  );
  if (!started) throw new ToolError("The emulator did not start.");
  const { pid, url } = started;
  return {
    url,
    reset: async () => {
      await fetch(`${url}/_emulator/reset`, { method: "POST" });
    },
    listCalls: async () => {
      const { counts } = requests.parse(await (await fetch(`${url}/_emulator/requests`)).json());
      return counts[`GET ${collection}`] ?? 0;
    },
    stop: () => {
      process.kill(pid);
    },
  };
}
