import { execFile } from "node:child_process";
import { join } from "node:path";
import type { ObjectState } from "../../../emulator";
import { readLabel } from "../../../provider/shared/label";
import { root } from "../../../tools/bootstrap/paths";
import { endProcesses, type RunningPulumi, waitUntil } from "../../../tools/workspace";
import { createEmulatedWorkspace, type EmulatedWorkspace } from "../../engine/emulatedWorkspace";
import { type EngineSchedule, faultsOf, firstPath, programOf } from "./engineSchedule";

const provisionSeconds = 3;
const apiKey = "engine-trial-key-0123456789";
/** Longer than it takes to notice that a request has come and to kill somebody. */
const holdMs = 2500;

/** Plays schedules on the real engine and judges them: one workspace and one emulator, for schedule after schedule. */
export class EngineTrial {
  private constructor(private readonly emulated: EmulatedWorkspace) {}

  static async create(): Promise<EngineTrial> {
    return new EngineTrial(
      await createEmulatedWorkspace({
        program: "",
        plugin: true,
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
    const shown: string[] = [];
    if (schedule.replacing) {
      workspace.writeProgram(programOf(schedule, 0));
      await workspace.succeed("up", "--yes", "--skip-preview");
    }
    workspace.writeProgram(programOf(schedule, schedule.replacing ? 1 : 0));
    shown.push(await this.#disturbedUp(schedule));
    emulator.faults.clear();
    const isKilled = /kill|twice/.test(schedule.end);
    // A single ^C or SIGTERM lets what is under way come to its end, and be written down.
    const forgotten = isKilled ? [] : await this.#notInState(true);
    const violations = [...forgotten, ...(await this.#heal(isKilled, shown))];
    if (shown.join("\n").includes(apiKey)) violations.push("K: the key was shown");
    return violations;
  }

  async #disturbedUp(schedule: EngineSchedule): Promise<string> {
    const { workspace, emulator } = this.emulated;
    const path = firstPath(schedule);
    const before = this.#count("POST", path);
    const faults = faultsOf(schedule);
    if (schedule.end !== "none" && schedule.point !== "while waiting") {
      const when = schedule.point === "before the effect" ? "before" : "after";
      faults.push({ match: { method: "POST", path }, kind: "delay", ms: holdMs, when });
    }
    emulator.faults.add(...faults);
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
  async #heal(isKilled: boolean, shown: string[]): Promise<string[]> {
    const { workspace } = this.emulated;
    if (isKilled) {
      // A killed run leaves its lock; the refusal of `up` says what to do about it.
      await workspace.unlock();
      shown.push((await workspace.up()).output, ...(await this.#recoverAll()));
    }
    const second = await workspace.up("--refresh");
    shown.push(second.output);
    const violations = second.code === 0 ? this.#duplicates() : [`O: the second up fails:\n${second.output}`];
    violations.push(...(await this.#notInState()));
    const destroyed = await workspace.destroy();
    shown.push(destroyed.output);
    if (destroyed.code !== 0) violations.push(`O: destroy fails:\n${destroyed.output}`);
    await waitUntil("what ends has ended", () => this.#billing().length === 0, 10).catch(() => undefined);
    violations.push(...this.#billing().map(({ kind, id }) => `O: ${kind} ${id} still bills after destroy`));
    return violations;
  }

  /** `gpufleet recover`, and what it says to do. */
  async #recoverAll(): Promise<string[]> {
    const shown = [await this.#recover()];
    // Beside one that runs, only --force takes it over: it was to take the place of that one.
    const hints = /--adopt (\S+) --urn '([^']+)'($|` says which one)/gm;
    for (const [, id = "", urn = "", rest] of (shown[0] ?? "").matchAll(hints)) {
      shown.push(await this.#recover("--adopt", id, "--urn", urn, ...(rest ? ["--force"] : [])));
    }
    return shown;
  }

  #billing(): ObjectState[] {
    return this.emulated.emulator.state().filter(({ billing }) => billing);
  }

  #duplicates(): string[] {
    const marks = this.#billing().map(({ label }) => readLabel(label)?.resource ?? "");
    return marks
      .filter((mark, index) => marks.indexOf(mark) !== index)
      .map((mark) => `D: two machines have the mark ${mark}`);
  }

  /** Where a run was stopped, a create whose reply was lost may be there as unresolved: the next run looks for it. */
  async #notInState(mayBeUnresolved = false): Promise<string[]> {
    const { deployment } = this.emulated.workspace.exportState();
    const held = new Set(deployment.resources.map(({ id }) => id));
    const hasUnlabelled = deployment.resources.some(({ id }) => /^unresolved:.*\//.test(id ?? ""));
    const isNamed = (label: string | null) => (label === null ? hasUnlabelled : held.has(`unresolved:${label}`));
    const lost = this.#billing().filter(
      ({ id, label }) => !held.has(String(id)) && !(mayBeUnresolved && isNamed(label)),
    );
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
