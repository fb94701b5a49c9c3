import type { EngineEvent, OutputMap, PulumiFn, Stack, Workspace } from "@pulumi/pulumi/automation";
import type { FleetMember } from "pulumi-gpufleet";
import { Progress } from "./progress";
import { spread } from "./spread";

/** The part of the fleet that is in one stack. */
export interface Part {
  /** Of its stack and of its `GpuFleet`: so every machine has a name of its own. */
  name: string;
  count: number;
  /** Its share of the limit. */
  maxCostPerHour: number | undefined;
}

export interface LargeFleetOptions {
  workspace: Workspace;
  /** Opens a stack, which is made if there is none. */
  openStack(name: string, program: PulumiFn): Promise<Stack>;
  programOf(part: Part): PulumiFn;
  /** How many machines a stack has at most. */
  perStack: number;
  /** How many stacks run at a time. */
  atOnce: number;
  /** In USD, for all parts together. */
  maxCostPerHour: number | undefined;
  show(line: string, isLast: boolean): void;
}

export interface WholeFleet {
  members: FleetMember[];
  /** Undefined where a price is unknown. */
  costPerHour: number | undefined;
  stacks: number;
}

/** A fleet that is too large for one stack. */
export class LargeFleet {
  constructor(private readonly options: LargeFleetOptions) {}

  /** Brings the fleet to this many machines. Machines that are there stay, failed ones are replaced. */
  async scaleTo(count: number): Promise<WholeFleet> {
    const { perStack, maxCostPerHour } = this.options;
    const present = await this.sizes();
    const wanted = spread(present, count, perStack);
    await this.refuseOverLimit(count);
    const parts = wanted.map((size, index) => ({
      name: nameOf(index),
      count: size,
      maxCostPerHour:
        maxCostPerHour === undefined ? undefined : Math.floor((maxCostPerHour * size * 100) / count) / 100,
      before: present[index] ?? 0,
    }));
    const change = ({ count: size, before }: (typeof parts)[number]) => Math.abs(size - before);
    const progress = this.progress("up", parts.length, sum(parts.map(change)));
    const up = async (part: (typeof parts)[number]) => {
      progress.start(part.name, change(part));
      if (part.count > 0) return this.upPart(part, progress);
      await this.destroyPart(part.name, progress);
    };
    // What ends first no longer costs anything when the rest begins.
    const inOrder = [...parts].sort((one, other) => one.count - one.before - (other.count - other.before));
    const isPriced = maxCostPerHour === undefined || present.some((size) => size > 0);
    // Where nothing has a price yet, the smallest part goes first: if it is over its share, so would be the fleet.
    const pilots = isPriced ? [] : inOrder.splice(0, 1);
    return wholeOf([
      ...(await this.sideBySide(pilots, progress, up)),
      ...(await this.sideBySide(inOrder, progress, up)),
    ]);
  }

  /** The whole fleet, as the last `up` left it. */
  async read(): Promise<WholeFleet> {
    const { atOnce, workspace } = this.options;
    return wholeOf(await mapAtMost(atOnce, await this.stackNames(), (name) => workspace.stackOutputs(name)));
  }

  async destroy(): Promise<void> {
    const sizes = await this.sizes();
    const names = await this.stackNames();
    const progress = this.progress("destroy", names.length, sum(sizes));
    await this.sideBySide(
      names.map((name) => ({ name })),
      progress,
      async ({ name }) => {
        progress.start(name, sizes[indexOf(name)] ?? 0);
        await this.destroyPart(name, progress);
      },
    );
  }

  /** Nothing is rented where the price of one machine tells that all would cost too much. */
  private async refuseOverLimit(count: number): Promise<void> {
    const { maxCostPerHour } = this.options;
    if (maxCostPerHour === undefined) return;
    const { members, costPerHour } = await this.read();
    if (members.length === 0 || costPerHour === undefined) return;
    const expected = (costPerHour / members.length) * count;
    if (expected > maxCostPerHour) {
      throw new Error(
        `refused, nothing was changed: ${count} machines would cost $${expected.toFixed(2)}/h, more than the limit of $${maxCostPerHour.toFixed(2)}/h`,
      );
    }
  }

  private async upPart(part: Part, progress: Progress): Promise<OutputMap> {
    const stack = await this.options.openStack(part.name, this.options.programOf(part));
    const { outputs } = await stack.up({ refresh: true, onEvent: this.counting(part.name, progress) });
    return outputs;
  }

  private async destroyPart(name: string, progress: Progress): Promise<void> {
    const stack = await this.options.openStack(name, async () => {});
    await stack.destroy({ onEvent: this.counting(name, progress) });
    await stack.workspace.removeStack(name);
  }

  private counting(name: string, progress: Progress) {
    return ({ resOutputsEvent }: EngineEvent) => {
      if (resOutputsEvent) progress.heed(name, resOutputsEvent.metadata);
    };
  }

  /** Does this for every part, a few at a time. What fails does not keep the others from being done. */
  private async sideBySide<One extends { name: string }, Result>(
    parts: readonly One[],
    progress: Progress,
    work: (part: One) => Promise<Result>,
  ): Promise<(Result | undefined)[]> {
    const failures: string[] = [];
    const results = await mapAtMost(this.options.atOnce, parts, async (part) => {
      try {
        const result = await work(part);
        progress.finish(part.name, true);
        return result;
      } catch (error) {
        failures.push(`${part.name}: ${reasonOf(error)}`);
        progress.finish(part.name, false);
        return undefined;
      }
    });
    if (failures.length > 0) {
      throw new Error(`${failures.join("\n")}\nRun the same command again to go on. \`show\` lists what is there.`);
    }
    return results;
  }

  private progress(verb: string, stacks: number, changes: number): Progress {
    return new Progress(verb, { stacks, changes }, (line, isLast) => this.options.show(line, isLast));
  }

  private async stackNames(): Promise<string[]> {
    const stacks = await this.options.workspace.listStacks();
    const names = stacks.map(({ name }) => name.slice(name.lastIndexOf("/") + 1));
    return names.filter((name) => namePattern.test(name)).sort((one, other) => indexOf(one) - indexOf(other));
  }

  /** How many machines each part has, by the numbers in their names: also after a run that was not completed. */
  private async sizes(): Promise<number[]> {
    const names = await this.stackNames();
    const sizes: number[] = [];
    const found = await mapAtMost(this.options.atOnce, names, async (name) => {
      const { deployment } = await this.options.workspace.exportStack(name);
      const resources: { urn: string }[] = deployment?.resources ?? [];
      const numbers = resources.map(({ urn }) => Number(/:(?:BareMetal|Vm)Rental::.*-(\d+)$/.exec(urn)?.[1] ?? -1));
      return { name, size: Math.max(-1, ...numbers) + 1 };
    });
    for (const { name, size } of found) sizes[indexOf(name)] = size;
    return Array.from(sizes, (size) => size ?? 0);
  }
}

/** The outputs of all parts put together; undefined is one that is gone. */
function wholeOf(parts: readonly (OutputMap | undefined)[]): WholeFleet {
  const outputs = parts.flatMap((part) => (part ? [part] : []));
  return {
    members: outputs.flatMap(({ members }): FleetMember[] => members?.value ?? []),
    costPerHour: wholeSum(outputs.map(({ costPerHour }): number | undefined => costPerHour?.value)),
    stacks: outputs.length,
  };
}

const namePattern = /^part-\d+$/;

function nameOf(index: number): string {
  return `part-${index}`;
}

function indexOf(name: string): number {
  return Number(name.slice(name.lastIndexOf("-") + 1));
}

/** An unknown price is not zero: where there is one, there is no sum. */
function wholeSum(costs: readonly (number | undefined)[]): number | undefined {
  const known = costs.filter((cost) => cost !== undefined);
  return known.length === costs.length ? sum(known) : undefined;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** What the engine says is wrong, without the rest of its output. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const reasons = [...text.matchAll(/^\s*error: (?!update failed|destroy failed)(.*)$/gm)].map(([, reason]) => reason);
  return [...new Set(reasons)].slice(0, 3).join("; ") || text.trim();
}

async function mapAtMost<One, Result>(
  most: number,
  all: readonly One[],
  work: (one: One) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = [...all.entries()];
  const next = async (): Promise<void> => {
    const taken = waiting.shift();
    if (!taken) return;
    results[taken[0]] = await work(taken[1]);
    return next();
  };
  await Promise.all(Array.from({ length: most }, next));
  return results;
}
