import { setImmediate } from "node:timers/promises";
import { cleanText } from "../../../provider/shared/cleanText";
import { FakeEngine, type Outcome } from "../../lifecycle/fakeEngine";
import { createRig, key, type Rig, seededRandom } from "../../lifecycle/rig";
import { type Circumstances, usual } from "./circumstances";
import { Command, CommandKilled, type CommandName, type Hit } from "./command";
import { endInConsole } from "./console";
import type { Disturbances } from "./disturbances";
import { hostedHandler, type Timed } from "./dynamicHost";
import { addForeignMachines, type ForeignIds, startNeighbours } from "./neighbours";
import { type PlannedResource, programOf, resourceName } from "./program";
import { recover } from "./recover";
import { getResourceKind, type MarketplaceMachine, type ResourceKindName } from "./resourceKinds";

export interface SessionOptions {
  /** Decides labels and jitter. */
  seed: number;
  /** What the program declares. */
  resources: readonly ResourceKindName[];
  circumstances?: Partial<Circumstances> | undefined;
}

/** How a command ended: killed, or with an outcome. */
export interface CommandResult {
  command: Command;
  outcome: Outcome | undefined;
}

interface UpOptions {
  refresh?: boolean;
  /** Names that are replaced by force. */
  replace?: string[];
  name?: CommandName;
}

/** A stack in an account that others use as well: the commands that people run on it, and all that came of them. */
export class Session {
  readonly rig: Rig;
  readonly stack: FakeEngine;
  readonly plan: PlannedResource[];
  readonly commands: Command[] = [];
  readonly timed: Timed[] = [];
  /** Everything that was shown to people. */
  readonly output: string[] = [];
  /** Names of resources whose create was killed and whose label proves nothing. */
  readonly unproven = new Set<string>();
  foreign: ForeignIds = new Set();
  neighbours: FakeEngine[] = [];
  wasKilled = false;

  private constructor(
    rig: Rig,
    private readonly machine: MarketplaceMachine,
    resources: readonly ResourceKindName[],
  ) {
    this.rig = rig;
    this.stack = new FakeEngine(rig, {}, (type) => hostedHandler(type, () => this.#current(), this.timed));
    this.plan = resources.map((kind) => ({ kind, generation: 0 }));
  }

  /** In an account in which others are already at work. */
  static async start({ seed, resources, circumstances }: SessionOptions): Promise<Session> {
    const { neighbours, provisionSeconds, endSeconds } = { ...usual, ...circumstances };
    const rig = createRig({ random: seededRandom(seed), emulator: { provisionSeconds, endSeconds } });
    const session = new Session(rig, await getLargestMachine(rig), resources);
    session.foreign = await addForeignMachines(rig, session.stack, session.machine);
    if (neighbours) session.neighbours = await startNeighbours(rig);
    return session;
  }

  /** `up` with the program as it stands. */
  up(disturbances: Disturbances, { name = "up", ...options }: UpOptions = {}): Promise<CommandResult> {
    return this.#run(name, disturbances, ({ provider, killed }) =>
      this.stack.up(programOf(this.plan, this.machine), { ...options, provider, killed }),
    );
  }

  destroy(disturbances: Disturbances): Promise<CommandResult> {
    return this.#run("destroy", disturbances, ({ provider, killed }) => this.stack.destroy({ provider, killed }));
  }

  refresh(disturbances: Disturbances): Promise<CommandResult> {
    return this.#run("refresh", disturbances, ({ provider, killed }) => this.stack.refresh(provider, killed));
  }

  async recover(): Promise<void> {
    this.output.push(...(await recover(this.rig, this.stack, programOf(this.plan, this.machine))));
  }

  /** The inputs of a resource change so that it must be replaced. */
  change(index: number): void {
    const planned = this.plan[index];
    if (planned) planned.generation += 1;
  }

  /** Somebody ends a resource in the console of the service. */
  async endOutside(name: string): Promise<void> {
    const kept = this.stack.state.get(name);
    if (!kept || kept.id.startsWith("unresolved:")) return;
    await this.rig.run(endInConsole(this.rig.client, kept.type, kept.id));
  }

  async wait(seconds: number): Promise<void> {
    await this.rig.run(this.rig.clock.sleep(1000 * seconds));
  }

  /** From now on nothing goes wrong, also in what killed commands have left running. */
  stopFaults(): void {
    for (const command of this.commands) command.stopFaults();
    this.rig.emulator.faults.clear();
  }

  get hits(): Hit[] {
    return this.commands.flatMap(({ hits }) => hits);
  }

  #current(): Command {
    const command = this.commands.at(-1);
    if (!command) throw new Error("no command runs");
    return command;
  }

  async #run(
    name: CommandName,
    disturbances: Disturbances,
    work: (command: Command) => Promise<Outcome>,
  ): Promise<CommandResult> {
    const command = new Command(this.rig, name, disturbances);
    this.commands.push(command);
    try {
      const outcome = await work(command);
      this.output.push(...Object.values(outcome.errors));
      return { command, outcome };
    } catch (error) {
      if (!(error instanceof CommandKilled)) throw error;
      this.#noteUnproven(this.stack.pending.map((begun) => begun.name));
      return { command, outcome: undefined };
    } finally {
      if (command.commandDead || command.providerDead) this.wasKilled = true;
      if (command.providerDead) this.#noteUnproven(this.plan.map((_, index) => resourceName(index)));
      // Through the link to the engine, which cleans what it passes on.
      this.output.push(...command.provider.shown.map(({ text }) => cleanText(text, { secrets: [key] })));
      // Whatever the killed one had under way gets to its next wait.
      if (command.commandDead) await setImmediate();
    }
  }

  #noteUnproven(names: readonly string[]): void {
    for (const [index, { kind }] of this.plan.entries()) {
      const name = resourceName(index);
      if (names.includes(name) && !getResourceKind(kind).provable) this.unproven.add(name);
    }
  }
}

let largestMachine: MarketplaceMachine | undefined;

/** The market is the same in every session, being decided by the emulator's seed. */
async function getLargestMachine(rig: Rig): Promise<MarketplaceMachine> {
  if (largestMachine) return largestMachine;
  const { instances } = await rig.run(rig.client.listMarketplaceMachines({ filters: {} }));
  const [largest] = instances
    .filter(({ status, reserved }) => status === "node_ready" && !reserved)
    .sort((one, other) => other.gpus_total - other.gpus_reserved - (one.gpus_total - one.gpus_reserved));
  if (!largest) throw new Error("the marketplace is empty");
  largestMachine = { clusterName: largest.cluster_name, nodeName: largest.id };
  return largestMachine;
}
