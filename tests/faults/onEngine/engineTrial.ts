/** A schedule of faults on the real engine: an update that is disturbed or killed at a chosen point, and what heals it. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import fc from "fast-check";
import type { FaultSpec, ObjectState } from "../../../emulator";
import { readLabel } from "../../../provider/lifecycle";
import { root } from "../../../tools/bootstrap/paths";
import { endProcesses, type RunningPulumi, waitUntil } from "../../../tools/workspace";
import { createEmulatedWorkspace, type EmulatedWorkspace } from "../../engine/emulatedWorkspace";
import { paths } from "../../lifecycle/rig";

export const ends = ["none", "kill-cli", "kill-provider", "interrupt-twice", "interrupt", "terminate"] as const;
export const points = ["before the effect", "after the effect", "while waiting"] as const;
const resources = ["bare", "vm", "volume"] as const;
type Resource = (typeof resources)[number];
const faults = [
  "reset-before",
  "reset-after",
  "truncate",
  "garbage",
  "status-500",
  "status-429",
  "stale-list",
] as const;

export interface EngineSchedule {
  resources: Resource[];
  /** How the update ends, and at what point of the create of the first resource. */
  end: (typeof ends)[number];
  point: (typeof points)[number];
  /** Whether all of that happens inside a replacement. */
  replacing: boolean;
  /** A fault on the create, or on a list, of one of the resources. */
  fault: { on: "create" | "list"; resource: number; kind: (typeof faults)[number] } | null;
}

export const engineSchedules: fc.Arbitrary<EngineSchedule> = fc.record({
  resources: fc.uniqueArray(fc.constantFrom(...resources), { minLength: 1, maxLength: 3 }),
  end: fc.constantFrom(...ends),
  point: fc.constantFrom(...points),
  replacing: fc.boolean(),
  fault: fc.option(
    fc.record({
      on: fc.constantFrom("create" as const, "list" as const),
      resource: fc.nat({ max: 2 }),
      kind: fc.constantFrom(...faults),
    }),
  ),
});

const collections: Record<Resource, string> = { bare: paths.bareMetal, vm: paths.vm, volume: paths.volumes };
const provisionSeconds = 3;
const apiKey = "engine-trial-key-0123456789";
/** Longer than it takes to notice that a request has come and to kill somebody. */
const holdMs = 2500;

function programOf(declared: readonly Resource[], generation: number): string {
  const lines: Record<Resource, string> = {
    bare: `new BareMetalRental("bare", { networkType: "infiniband", gpuCount: ${8 + 8 * generation} });`,
    vm: `new VmRental("vm", { gpuCount: ${1 + generation} });`,
    volume: `new StorageVolume("volume", { region: "us-central-1", sizeInGb: ${256 + 256 * generation} });`,
  };
  return `const { BareMetalRental, VmRental, StorageVolume } = require("pulumi-gpufleet");\n${declared.map((name) => lines[name]).join("\n")}`;
}

/** One workspace and one emulator, for schedule after schedule. */
export class EngineTrial {
  private constructor(private readonly emulated: EmulatedWorkspace) {}

  static async create(): Promise<EngineTrial> {
    return new EngineTrial(
      await createEmulatedWorkspace({
        program: "",
        env: { GPUFLEET_RECONCILE_SECONDS: "2" },
        emulator: { apiKey, provisionSeconds, endSeconds: 0 },
      }),
    );
  }

  dispose(): Promise<void> {
    return this.emulated.dispose();
  }

  /** Plays the schedule and gives what did not hold. Leaves an empty stack and nothing that bills. */
  async play(schedule: EngineSchedule): Promise<string[]> {
    const { workspace, emulator } = this.emulated;
    emulator.reset();
    const said: string[] = [];
    if (schedule.replacing) {
      workspace.writeProgram(programOf(schedule.resources, 0));
      await workspace.succeed("up", "--yes", "--skip-preview");
    }
    workspace.writeProgram(programOf(schedule.resources, schedule.replacing ? 1 : 0));
    said.push(await this.#disturbedUp(schedule));
    emulator.faults.clear();
    const isKilled = /kill|twice/.test(schedule.end);
    // A single ^C or SIGTERM lets what is under way come to its end, and be written down.
    const forgotten = isKilled ? [] : await this.#unknown();
    const violations = [...forgotten, ...(await this.#heal(isKilled, said))];
    if (said.join("\n").includes(apiKey)) violations.push("K: the key was shown");
    return violations;
  }

  async #disturbedUp(schedule: EngineSchedule): Promise<string> {
    const { workspace, emulator } = this.emulated;
    const [first = "bare"] = schedule.resources;
    const path = collections[first];
    const before = this.#count("POST", path);
    const faultsBefore = faultsOf(schedule);
    if (schedule.end !== "none" && schedule.point !== "while waiting") {
      const when = schedule.point === "before the effect" ? "before" : "after";
      faultsBefore.push({ match: { method: "POST", path }, kind: "delay", ms: holdMs, when });
    }
    emulator.faults.add(...faultsBefore);
    const run = workspace.start("up", "--yes", "--skip-preview");
    if (schedule.end !== "none") {
      const arrived = waitUntil("the create is requested", () => this.#count("POST", path) > before);
      await Promise.race([arrived, run.finished]);
      arrived.catch(() => undefined);
      await this.#end(schedule.end, run);
    }
    const { output } = await run.finished;
    return output;
  }

  async #end(end: EngineSchedule["end"], run: RunningPulumi): Promise<void> {
    switch (end) {
      case "kill-cli":
        return run.kill();
      case "kill-provider":
        return endProcesses(this.emulated.workspace.providers());
      case "interrupt":
        return run.interrupt();
      case "terminate":
        return run.terminate();
      case "interrupt-twice":
        run.interrupt();
        await waitUntil("the first is heard", () => /interrupt|cancel/i.test(run.output()), 20).catch(() => undefined);
        return run.interrupt();
    }
  }

  /** What a person does: `up`; where a run was killed, `gpufleet recover`; `up`; `destroy`. */
  async #heal(isKilled: boolean, said: string[]): Promise<string[]> {
    const { workspace } = this.emulated;
    if (isKilled) {
      // A killed run leaves its lock; the refusal of `up` says what to do about it.
      await workspace.pulumi("cancel", "--yes");
      said.push((await workspace.up()).output, ...(await this.#recoverAll()));
    }
    const second = await workspace.up("--refresh");
    said.push(second.output);
    const violations = second.code === 0 ? this.#duplicates() : [`O: the second up fails:\n${second.output}`];
    violations.push(...(await this.#unknown()));
    const destroyed = await workspace.destroy();
    said.push(destroyed.output);
    if (destroyed.code !== 0) violations.push(`O: destroy fails:\n${destroyed.output}`);
    await waitUntil("what ends has ended", () => this.#billing().length === 0, 10).catch(() => undefined);
    violations.push(...this.#billing().map(({ kind, id }) => `O: ${kind} ${id} still bills after destroy`));
    return violations;
  }

  /** `gpufleet recover`, and what it says to do. */
  async #recoverAll(): Promise<string[]> {
    const said = [await this.#recover()];
    for (const [, id = "", urn = ""] of (said[0] ?? "").matchAll(/--adopt (\S+) --urn '([^']+)'$/gm)) {
      said.push(await this.#recover("--adopt", id, "--urn", urn));
    }
    return said;
  }

  #billing(): ObjectState[] {
    return this.emulated.emulator.state().filter(({ billing }) => billing);
  }

  #duplicates(): string[] {
    const marks = this.#billing().map(({ label }) => readLabel(label)?.resource ?? "");
    return marks.filter((mark, index) => marks.indexOf(mark) !== index).map((mark) => `D: two machines bear ${mark}`);
  }

  async #unknown(): Promise<string[]> {
    const { deployment } = await this.emulated.workspace.exportState();
    const held = new Set(deployment.resources.map(({ id }) => id));
    const lost = this.#billing().filter(({ id }) => !held.has(String(id)));
    return lost.map(({ kind, id, label }) => `O: ${kind} ${id} "${label}" bills and is not in the state`);
  }

  #count(method: string, path: string): number {
    return this.emulated.emulator.requests().counts[`${method} ${path}`] ?? 0;
  }

  #recover(...flags: string[]): Promise<string> {
    const { env, folder } = this.emulated.workspace;
    const command = [join(root, "bin", "gpufleet"), "recover", ...flags];
    return new Promise((resolve) => {
      execFile(process.execPath, command, { env, cwd: folder }, (_error, stdout, stderr) => resolve(stdout + stderr));
    });
  }
}

function faultsOf({ fault, resources: declared, end }: EngineSchedule): FaultSpec[] {
  if (!fault) return [];
  const path = collections[declared[fault.resource % declared.length] ?? "bare"];
  const match = { method: fault.on === "create" ? "POST" : "GET", path };
  switch (fault.kind) {
    case "status-500":
      return [{ match, kind: "status", status: 500 }];
    case "status-429":
      return [{ match, kind: "status", status: 429, headers: { "retry-after": "1" } }];
    case "stale-list":
      // After a kill, what is promised is promised for lists that are current.
      return end === "none" ? [{ match: { method: "GET", path }, times: 2, kind: "stale-list", seconds: 1 }] : [];
    default:
      return [{ match, kind: fault.kind }];
  }
}
