import { setImmediate } from "node:timers/promises";
import { cleanText } from "../../../provider/client";
import { createRig, key, type Rig, seededRandom } from "../../lifecycle/rig";
import { type Outcome, Stack } from "../../lifecycle/stack";
import type { Schedule, Step } from "../schedules/schedule";
import { Command, CommandKilled, type Disturbances, type Doing, type Hit } from "./command";
import { hostedHandler, type Timed } from "./dynamicHost";
import { isStale } from "./faultKinds";
import { addForeign, type Foreign, startNeighbours } from "./neighbours";
import { recover } from "./recover";
import { isProvable, nameOfPlanned, type Place, type Planned, programOf } from "./resourceKinds";

/** A command as it ended: killed, or with what it has to show. */
export interface Ended {
  command: Command;
  outcome: Outcome | undefined;
}

export interface SessionOptions {
  /** No other stacks beside it. */
  alone?: boolean;
  provisionSeconds?: number;
  endSeconds?: number;
}

interface UpOptions {
  refresh?: boolean;
  replace?: string[];
  doing?: Doing;
}

/** A stack of its own in an account that others use as well, played through a schedule. */
export class Session {
  readonly rig: Rig;
  readonly stack: Stack;
  readonly plan: Planned[];
  readonly commands: Command[] = [];
  readonly timed: Timed[] = [];
  /** Everything that was shown to people. */
  readonly said: string[] = [];
  /** Resources whose create was killed and whose label proves nothing. */
  readonly weak = new Set<string>();
  foreign: Foreign | undefined;
  neighbours: Stack[] = [];
  #place: Place | undefined;
  wasKilled = false;

  constructor(
    private readonly schedule: Schedule,
    private readonly options: SessionOptions = {},
  ) {
    const { provisionSeconds = 6, endSeconds = 3 } = options;
    this.rig = createRig({ random: seededRandom(schedule.seed), emulator: { provisionSeconds, endSeconds } });
    this.stack = new Stack(this.rig, {}, (type) => hostedHandler(type, () => this.#current(), this.timed));
    this.plan = schedule.kinds.map((kind) => ({ kind, generation: 0 }));
  }

  async play(): Promise<void> {
    this.#place = await bestPlace(this.rig);
    this.foreign = await addForeign(this.rig, this.stack, this.#place);
    if (!this.options.alone) this.neighbours = await startNeighbours(this.rig);
    for (const [index, step] of this.schedule.steps.entries()) await this.#take(step, this.#disturbancesOf(index));
    for (const command of this.commands) command.stopFaults();
    this.rig.emulator.faults.clear();
  }

  /** `up` with the program as it stands. */
  up(disturbances: Disturbances, { doing = "up", ...options }: UpOptions = {}): Promise<Ended> {
    return this.#run(doing, disturbances, ({ provider, killed }) =>
      this.stack.up(programOf(this.plan, this.place), { ...options, provider, killed }),
    );
  }

  destroy(disturbances: Disturbances): Promise<Ended> {
    return this.#run("destroy", disturbances, ({ provider, killed }) => this.stack.destroy({ provider, killed }));
  }

  refresh(disturbances: Disturbances): Promise<Ended> {
    return this.#run("refresh", disturbances, ({ provider, killed }) => this.stack.refresh(provider, killed));
  }

  async recover(): Promise<void> {
    this.said.push(...(await recover(this.rig, this.stack, programOf(this.plan, this.place))));
  }

  get place(): Place {
    if (!this.#place) throw new Error("the schedule has not begun");
    return this.#place;
  }

  get hits(): Hit[] {
    return this.commands.flatMap(({ hits }) => hits);
  }

  #current(): Command {
    const command = this.commands.at(-1);
    if (!command) throw new Error("no command runs");
    return command;
  }

  #disturbancesOf(index: number): Disturbances {
    const { faults, kills } = this.schedule;
    return {
      faults: faults.filter(({ step, kind }) => step === index && !(this.wasKilled && isStale(kind))),
      kill: kills.find(({ step }) => step === index),
    };
  }

  async #take(step: Step, disturbances: Disturbances): Promise<void> {
    const index = step.resource % this.plan.length;
    const planned = this.plan[index];
    const name = nameOfPlanned(index);
    const { refresh } = step;
    switch (step.do) {
      case "change":
        if (planned) planned.generation += 1;
        await this.up(disturbances, { refresh, doing: "replace" });
        return;
      case "up":
        await this.up(disturbances, { refresh });
        return;
      case "force":
        await this.up(disturbances, { refresh, replace: [name], doing: "replace" });
        return;
      case "refresh":
        await this.refresh(disturbances);
        return;
      case "destroy":
        await this.destroy(disturbances);
        return;
      case "vanish":
        await this.#vanish(name);
        return;
      case "pass":
        await this.rig.run(this.rig.clock.sleep(1000 * ([5, 40, 130][index % 3] ?? 5)));
    }
  }

  async #run(doing: Doing, disturbances: Disturbances, work: (command: Command) => Promise<Outcome>): Promise<Ended> {
    const command = new Command(this.rig, doing, disturbances);
    this.commands.push(command);
    try {
      const outcome = await work(command);
      this.said.push(...Object.values(outcome.errors));
      return { command, outcome };
    } catch (error) {
      if (!(error instanceof CommandKilled)) throw error;
      for (const { name } of this.stack.pending) this.#noteWeak(name);
      return { command, outcome: undefined };
    } finally {
      if (command.commandDead || command.providerDead) this.wasKilled = true;
      if (command.providerDead) for (const name of this.plan.keys()) this.#noteWeak(nameOfPlanned(name));
      // Through the link to the engine, which cleans what it passes on.
      this.said.push(...command.provider.shown.map(({ text }) => cleanText(text, { secrets: [key] })));
      // Whatever the killed one had under way gets to its next wait.
      if (command.commandDead) await setImmediate();
    }
  }

  #noteWeak(name: string): void {
    const planned = this.plan[[...this.plan.keys()].findIndex((index) => nameOfPlanned(index) === name)];
    if (planned && !isProvable(planned.kind)) this.weak.add(name);
  }

  /** Somebody ends it in the console of the service. */
  async #vanish(name: string): Promise<void> {
    const kept = this.stack.state.get(name);
    if (!kept || kept.type === "VolumeAttachment" || kept.id.startsWith("unresolved:")) return;
    const { client } = this.rig;
    const id = Number(kept.id);
    const ends: Record<string, () => Promise<unknown>> = {
      BareMetalRental: () => client.terminateRental({ rentalType: "bare-metal", rentalId: id }),
      VmRental: () => client.terminateRental({ rentalType: "virtual-machine", rentalId: id }),
      StorageVolume: () => client.deleteStorageVolume({ storageVolumeId: id }),
      MarketplaceInstance: () => client.terminateMarketplaceInstance({ id: kept.id }),
    };
    // An attached volume cannot be deleted, by nobody; what is gone already is gone.
    await this.rig.run(ends[kept.type]?.().catch(() => undefined) ?? Promise.resolve());
  }
}

let knownPlace: Place | undefined;

/** The market is the same in every session, being decided by the emulator's seed. */
async function bestPlace(rig: Rig): Promise<Place> {
  if (knownPlace) return knownPlace;
  const { instances } = await rig.run(rig.client.listMarketplaceMachines({ filters: {} }));
  const [best] = instances
    .filter(({ status, reserved }) => status === "node_ready" && !reserved)
    .sort((one, other) => other.gpus_total - other.gpus_reserved - (one.gpus_total - one.gpus_reserved));
  if (!best) throw new Error("the marketplace is empty");
  knownPlace = { clusterName: best.cluster_name, nodeName: best.id };
  return knownPlace;
}
