/** The plugin beside the dynamic resources: the same rentals, through the real engine. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { root } from "../tools/bootstrap/paths";
import type { Service } from "./emulator";
import { rentalIn, sizesOf } from "./engineParts";
import { Project, type Sample } from "./project";
import type { Context, Row } from "./row";
import { describe, median } from "./sample";
import { withService } from "./turns";

const verbs = ["up", "preview", "refresh", "destroy"] as const;
const contestants = ["ours", "plugin"] as const;
type Name = (typeof contestants)[number];

/** Two medians of the same thing differ by as much. */
const noise = 1.05;

export function plugin(context: Context): Promise<Row[]> {
  const { small, middle } = sizesOf(context);
  return withService({ provision: 0, end: 0 }, async (service) => [
    await startRow(context),
    ...(await rowsOf(context, service, small)),
    ...(await rowsOf(context, service, middle)),
  ]);
}

/** From the start of the process to the line that tells the engine its port. */
async function startRow({ quick }: Context): Promise<Row> {
  const times: number[] = [];
  for (let round = 0; round < (quick ? 3 : 11); round += 1) {
    const started = performance.now();
    const child = spawn(join(root, "dist", "plugin", "pulumi-resource-gpufleet"), ["127.0.0.1:1"]);
    await once(child.stdout, "data");
    times.push(performance.now() - started);
    child.kill();
  }
  return {
    what: "start of the plugin",
    goal: "≤ 300 ms",
    ours: describe(times, "ms"),
    beside: "",
    ratio: "",
    met: median(times) <= 300,
  };
}

async function rowsOf(context: Context, service: Service, count: number): Promise<Row[]> {
  const samples: Record<Name, Sample[][]> = { ours: [], plugin: [] };
  let bytes = 0;
  for (let round = 1; round <= context.rounds; round += 1) {
    for (const name of contestants) {
      const lived = await live(service, name, count);
      samples[name].push(lived.samples);
      if (name === "plugin") ({ bytes } = rentalIn(lived.state));
      const seconds = lived.samples.map((sample, at) => `${verbs[at]} ${sample.seconds.toFixed(1)} s`);
      context.say(`${count}, round ${round} of ${context.rounds}: ${name} ${seconds.join(", ")}`);
    }
  }
  const values = (name: Name, of: (run: Sample[]) => number) => samples[name].map(of);
  const compare = (what: string, limit: number, of: (run: Sample[]) => number, unit = "s"): Row => {
    const [ours, dynamic] = [values("plugin", of), values("ours", of)];
    const ratio = median(ours) / median(dynamic);
    return {
      what: `the plugin: ${what}`,
      goal: `≤ ${limit} × dynamic`,
      ours: describe(ours, unit),
      beside: describe(dynamic, unit),
      ratio: ratio.toFixed(2),
      met: ratio <= limit,
    };
  };
  return [
    ...verbs.map((verb, at) => compare(`${verb} of ${count}`, noise, (run) => run[at]?.seconds ?? 0)),
    compare(`memory of its process, ${count}`, 0.6, (run) => Math.max(...run.map(({ memory }) => memory)), "MB"),
    {
      what: `the plugin: state per BareMetalRental, ${count}`,
      goal: "≤ 3072 bytes",
      ours: `${bytes} bytes`,
      beside: "",
      ratio: "",
      met: bytes <= 3072,
    },
  ];
}

/** A stack from `up` to `destroy`. */
async function live(service: Service, name: Name, count: number): Promise<{ samples: Sample[]; state: string }> {
  await service.reset();
  const project = await Project.create(service.url, name, count);
  try {
    const samples: Sample[] = [];
    let state = "";
    for (const verb of verbs) {
      samples.push(await project[verb]());
      if (verb === "up") state = await project.state();
    }
    return { samples, state };
  } finally {
    await project.remove();
  }
}
