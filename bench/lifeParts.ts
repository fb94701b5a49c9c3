/** Single rentals from `up` to `destroy`, by every contestant: the plugin and the dynamic resources beside two peers. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { z } from "zod";
import { root } from "../tools/bootstrap/paths";
import { type Service, startService } from "./emulator";
import { Project, type Sample } from "./project";
import type { Context, Row } from "./row";
import { describe, median } from "./sample";
import { besideFloor, memoryRow, showSeconds } from "./turns";

const contestants = ["floor", "naive", "ours", "plugin"] as const;
type Name = (typeof contestants)[number];
const verbs = ["up", "preview", "refresh", "destroy"] as const;
type Verb = (typeof verbs)[number];

/** Sizes of stacks: a usual one, and a large one. */
const sizesOf = ({ quick }: Context) => (quick ? { few: 20, many: 40 } : { few: 200, many: 1000 });

export async function life(context: Context): Promise<Row[]> {
  const sizes = sizesOf(context);
  const { rounds } = context;
  // An `up` of a thousand takes minutes, so that one is run once, and what does not change it as often as always.
  const few = await measure(context, { count: sizes.few, lives: rounds, looks: 1 });
  const many = await measure(context, { count: sizes.many, lives: 1, looks: rounds });
  return [...dynamicRows(few, many), await startRow(context), ...[few, many].flatMap((lived) => pluginRows(lived))];
}

/** What was measured of stacks of one size. */
interface Lived {
  count: number;
  samples: Record<Name, Record<Verb, Sample[]>>;
  /** Exported states. */
  states: Record<Name, string>;
  /** List calls of the last refresh. */
  calls: Record<Name, number>;
}

interface Plan {
  count: number;
  /** How many stacks each contestant brings up and destroys. */
  lives: number;
  /** How many previews and refreshes each of them sees. */
  looks: number;
}

async function measure(context: Context, { count, lives, looks }: Plan): Promise<Lived> {
  const samplesOfOne = (): Record<Verb, Sample[]> => ({ up: [], preview: [], refresh: [], destroy: [] });
  const lived: Lived = {
    count,
    samples: { floor: samplesOfOne(), naive: samplesOfOne(), ours: samplesOfOne(), plugin: samplesOfOne() },
    states: { floor: "", naive: "", ours: "", plugin: "" },
    calls: { floor: 0, naive: 0, ours: 0, plugin: 0 },
  };
  for (let round = 1; round <= lives; round += 1) {
    const stacks: Stack[] = [];
    try {
      for (const name of contestants) stacks.push(await Stack.create(name, count));
      const take = async (verb: Verb) => {
        for (const stack of stacks) {
          const { sample, calls } = await stack.run(verb);
          lived.samples[stack.name][verb].push(sample);
          if (verb === "up") lived.states[stack.name] = await stack.project.state();
          if (verb === "refresh") lived.calls[stack.name] = calls;
          context.say(`${count}, round ${round} of ${lives}: ${verb} ${stack.name} ${showSeconds(sample.seconds)}`);
        }
      };
      await take("up");
      for (let look = 0; look < looks; look += 1) {
        await take("preview");
        await take("refresh");
      }
      await take("destroy");
    } finally {
      for (const stack of stacks) await stack.remove();
    }
  }
  return lived;
}

/** A contestant's stack and its own service, so that no list holds the rentals of another. */
class Stack {
  private constructor(
    readonly name: Name,
    readonly project: Project,
    private readonly service: Service,
  ) {}

  static async create(name: Name, count: number): Promise<Stack> {
    const service = await startService({ provision: 0, end: 0 }, name);
    return new Stack(name, await Project.create(service.url, name, count), service);
  }

  async run(verb: Verb): Promise<{ sample: Sample; calls: number }> {
    const before = await this.service.listCalls();
    const sample = await this.project[verb]();
    return { sample, calls: (await this.service.listCalls()) - before };
  }

  async remove(): Promise<void> {
    this.service.stop();
    await this.project.remove();
  }
}

const seconds = ({ samples }: Lived, name: Name, verb: Verb) => samples[name][verb].map((sample) => sample.seconds);
const memory = ({ samples }: Lived, name: Name, verb: Verb) => samples[name][verb].map((sample) => sample.memory);

/** The dynamic resources beside the floor. */
function dynamicRows(few: Lived, many: Lived): Row[] {
  const timed = (lived: Lived, verb: Verb, limit: number) =>
    besideFloor(
      `${verb} of ${lived.count} single rentals`,
      limit,
      seconds(lived, "ours", verb),
      seconds(lived, "floor", verb),
    );
  const firstLines = (name: Name) => few.samples[name].up.map(({ firstLine }) => firstLine);
  const memoryOf = (verb: Verb) =>
    memoryRow(`${verb} of ${many.count}`, memory(many, "ours", verb), memory(many, "floor", verb));
  return [
    timed(few, "up", 1.15),
    besideFloor("its first line of output", 1.25, firstLines("ours"), firstLines("floor")),
    timed(many, "up", 1.15),
    timed(few, "preview", 1.1),
    timed(many, "preview", 1.1),
    timed(many, "refresh", 1.25),
    {
      what: `list calls of a refresh of ${many.count}`,
      goal: "1",
      ours: String(many.calls.ours),
      beside: `naive ${many.calls.naive}`,
      ratio: "",
      met: many.calls.ours === 1,
    },
    timed(many, "destroy", 1.5),
    memoryOf("up"),
    memoryOf("refresh"),
    stateRow(many),
  ];
}

/** Two medians of the same thing differ by as much. */
const noise = 1.05;

/** The plugin beside the dynamic resources, and beside the peers, which are not what it is held against. */
function pluginRows(lived: Lived): Row[] {
  const compare = (what: string, limit: number, of: (name: Name) => number[], unit = "s"): Row => {
    const ratio = median(of("plugin")) / median(of("ours"));
    const peers = (["floor", "naive"] as const).map((name) => `${name} ${median(of(name)).toFixed(1)} ${unit}`);
    return {
      what: `the plugin: ${what}`,
      goal: `≤ ${limit} × dynamic`,
      ours: describe(of("plugin"), unit),
      beside: [`dynamic ${describe(of("ours"), unit)}`, ...peers].join(", "),
      ratio: ratio.toFixed(2),
      met: ratio <= limit,
    };
  };
  const peak = (name: Name) => verbs.map((verb) => Math.max(...memory(lived, name, verb)));
  const { bytes } = rentalIn(lived.states.plugin);
  return [
    ...verbs.map((verb) => compare(`${verb} of ${lived.count}`, noise, (name) => seconds(lived, name, verb))),
    compare(`memory of its process, ${lived.count}`, 0.6, (name) => [Math.max(...peak(name))], "MB"),
    {
      what: `the plugin: state per BareMetalRental, ${lived.count}`,
      goal: "≤ 3072 bytes",
      ours: `${bytes} bytes`,
      beside: `dynamic ${rentalIn(lived.states.ours).bytes} bytes`,
      ratio: "",
      met: bytes <= 3072,
    },
  ];
}

/** From the start of the process to the line that tells the engine its port. Beside it, what Node itself takes here. */
async function startRow({ quick }: Context): Promise<Row> {
  const [plugin, node]: [number[], number[]] = [[], []];
  const program = join(root, "dist", "plugin", "pulumi-resource-gpufleet");
  for (let round = 0; round < (quick ? 3 : 11); round += 1) {
    node.push(await timeUntil((child) => once(child, "exit"), process.execPath, "-e", "0"));
    plugin.push(await timeUntil(({ stdout }) => once(stdout, "data"), program, "127.0.0.1:1"));
  }
  return {
    what: "start of the plugin",
    goal: "≤ 300 ms",
    ours: describe(plugin, "ms"),
    beside: `node -e 0 ${describe(node, "ms")}`,
    ratio: (median(plugin) / median(node)).toFixed(2),
    met: median(plugin) <= 300,
  };
}

async function timeUntil(
  done: (child: ChildProcessWithoutNullStreams) => Promise<unknown>,
  command: string,
  ...args: string[]
): Promise<number> {
  const started = performance.now();
  const child = spawn(command, args);
  await done(child);
  const taken = performance.now() - started;
  child.kill();
  return taken;
}

const exported = z.object({
  deployment: z.object({
    resources: z.array(z.looseObject({ type: z.string(), inputs: z.record(z.string(), z.unknown()).optional() })),
  }),
});

/** A rental of an exported state, and how many bytes it takes there. */
function rentalIn(state: string) {
  const { resources } = exported.parse(JSON.parse(state)).deployment;
  const rental = resources.find(({ type }) => type.endsWith(":BareMetalRental"));
  return { rental, bytes: JSON.stringify(rental).length };
}

function stateRow({ states }: Lived): Row {
  const { rental, bytes } = rentalIn(states.ours);
  const stub = String(rental?.inputs?.["__provider"]).length;
  return {
    what: "state per BareMetalRental; its stub",
    goal: "≤ 3072 bytes; < 120 bytes",
    ours: `${bytes} bytes; ${stub} bytes`,
    beside: "",
    ratio: "",
    met: bytes <= 3072 && stub < 120,
  };
}
