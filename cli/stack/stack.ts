import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import type { ReadConfig } from "../../provider/fronts";
import { readTimestamp } from "../../provider/shared/timestamp";
import type { Place } from "../place";
import { runPulumi } from "./pulumi";
import { parseState, type State } from "./state";

/** A stack, worked on through `pulumi` itself, so that it may be kept anywhere. */
export class Stack {
  private known: Promise<string> | undefined;
  private knownInFull: Promise<string> | undefined;

  constructor(readonly place: Place) {}

  /** Its name as `pulumi` takes it after `--stack`. */
  name(): Promise<string> {
    this.known ??= this.place.stack
      ? Promise.resolve(this.place.stack)
      : this.pulumi("stack", "--show-name").then((text) => text.trim());
    return this.known;
  }

  /** The same with its organization and project, whatever it was called by. Old states in files have neither. */
  fullName(): Promise<string> {
    this.knownInFull ??= this.pulumi("stack", "--show-name", "--fully-qualify-stack-names").then((text) => text.trim());
    return this.knownInFull;
  }

  /** The state; secrets are ciphertext unless they are asked for. */
  async exportState({ showSecrets = false } = {}): Promise<State> {
    return parseState(await this.pulumi("stack", "export", ...(showSecrets ? ["--show-secrets"] : [])));
  }

  /** Puts this state in the place of the present one. The engine drops the pending operations that are in it. */
  async importState(state: State): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), "gpufleet-"));
    const file = join(folder, "state.json");
    try {
      writeFileSync(file, JSON.stringify(state), { mode: 0o600 });
      await this.pulumi("stack", "import", "--file", file);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  /** The configuration of the `gpufleet` namespace, secrets in clear text. */
  async readConfig(): Promise<ReadConfig> {
    const config = configuration.parse(JSON.parse(await this.pulumi("config", "--json", "--show-secrets")));
    return (key) => config[`gpufleet:${key}`]?.value;
  }

  /** When the last of the latest runs that failed had ended: such a run may have made what no state has. */
  async lastFailure(): Promise<number | undefined> {
    const runs = history.parse(JSON.parse(await this.pulumi("stack", "history", "--json", "--page-size", "10")));
    const ends = runs.flatMap(({ result, endTime }) => (result === "succeeded" ? [] : (readTimestamp(endTime) ?? [])));
    return ends.length > 0 ? Math.max(...ends) : undefined;
  }

  /** Runs a command of `pulumi` on this stack. */
  pulumi(...args: string[]): Promise<string> {
    return runPulumi(this.place, args);
  }

  /**
   * Ends what has expired of these. It is a refresh in which the provider ends them: the entries stay, as expired, and the next
   * `up` does not rent them again. The engine holds the lock meanwhile, and nothing that depends on them is touched.
   */
  endExpired(urns: readonly string[]): Promise<string> {
    const targets = urns.flatMap((urn) => ["--target", urn]);
    return runPulumi(this.place, ["refresh", "--yes", "--skip-preview", ...targets], { GPUFLEET_END_EXPIRED: "1" });
  }

  /** Runs a command of `pulumi` on the backend that keeps this stack, or on another stack there. */
  inBackend(...args: string[]): Promise<string> {
    return runPulumi({ cwd: this.place.cwd }, args);
  }
}

const history = z.array(z.looseObject({ result: z.string(), endTime: z.string().optional() }));
const configuration = z.record(z.string(), z.looseObject({ value: z.string().optional() }));
