/** What is measured through the real engine. */
import { cpus } from "node:os";
import type { Service } from "./emulator";
import type { Contestant } from "./programs";
import { Project } from "./project";
import type { Context, Row } from "./row";
import { describe, median } from "./sample";
import { showSeconds, takeTurns, withService } from "./turns";

/** The engine runs this many operations at a time: 4 per core. */
const parallelism = 4 * cpus().length;

/** One `up` in a project of its own, which is then thrown away. */
async function freshUp(service: Service, name: Contestant, count: number) {
  await service.reset();
  const project = await Project.create(service.url, name, count);
  try {
    const sample = await project.up();
    return { ...sample, calls: await service.listCalls() };
  } finally {
    await project.remove();
  }
}

const provisioning = 5;

export function fleet(context: Context): Promise<Row[]> {
  return withService({ provision: provisioning, end: 0 }, async (service) => {
    const calls: number[] = [];
    const times = await takeTurns(context, ["floor", "fleet"], async (name) => {
      const sample = await freshUp(service, name, context.size);
      if (name === "fleet") calls.push(sample.calls);
      return { value: sample.seconds, note: `${showSeconds(sample.seconds)}, ${sample.calls} list calls` };
    });
    // It takes minutes, so it is run once.
    const naive = await freshUp(service, "naive", context.size);
    const limit = median(times("floor")) + provisioning;
    const ours = median(times("fleet")) / limit;
    const slower = naive.seconds / median(times("fleet"));
    const shown = describe(times("fleet"));
    return [
      {
        what: `up of a fleet of ${context.size}, ${provisioning} s provisioning`,
        goal: "≤ 1.5 × (floor + 5 s)",
        ours: shown,
        beside: `${limit.toFixed(2)} s`,
        ratio: ours.toFixed(2),
        met: ours <= 1.5,
      },
      {
        what: `up of a fleet of ${context.size} with the naive provider`,
        goal: "naive ≥ 5 × ours",
        ours: shown,
        beside: describe([naive.seconds]),
        ratio: slower.toFixed(2),
        met: slower >= 5,
      },
      {
        what: `list calls of the up of a fleet of ${context.size}`,
        goal: "≤ 20",
        ours: String(median(calls)),
        beside: `naive ${naive.calls}`,
        ratio: "",
        met: median(calls) <= 20,
      },
    ];
  });
}

/** One `destroy` of what was made for it. */
async function timeDestroy(service: Service, name: Contestant, count: number) {
  await service.reset();
  const project = await Project.create(service.url, name, count);
  await project.prepare();
  const { seconds } = await project.destroy();
  await project.remove();
  return { value: seconds, note: showSeconds(seconds) };
}

/** The program with a `Provider`, beside the same without one. */
export function provided(context: Context): Promise<Row[]> {
  return withService({ provision: 0, end: 0 }, async (service) => {
    const times = await takeTurns(context, ["ours", "provided"], async (name) => {
      const { seconds, calls } = await freshUp(service, name, context.size);
      return { value: seconds, note: `${showSeconds(seconds)}, ${calls} list calls` };
    });
    const ratio = median(times("provided")) / median(times("ours"));
    return [
      {
        what: `up of ${context.size} single rentals through a Provider`,
        goal: "≤ 1.1 × without one",
        ours: describe(times("provided")),
        beside: describe(times("ours")),
        ratio: ratio.toFixed(2),
        met: ratio <= 1.1,
      },
    ];
  });
}

export function destroy(context: Context): Promise<Row[]> {
  const ending = 2;
  return withService({ provision: 0, end: ending }, async (service) => {
    const times = await takeTurns(context, ["floor", "ours"], (name) => timeDestroy(service, name, context.size));
    const limit = median(times("floor")) + (context.size / parallelism) * ending;
    const ratio = median(times("ours")) / limit;
    return [
      {
        what: `destroy of ${context.size}, ${ending} s to end`,
        goal: "≤ 1.5 × (floor + 2 s at the engine's parallelism)",
        ours: describe(times("ours")),
        beside: `${limit.toFixed(2)} s`,
        ratio: ratio.toFixed(2),
        met: ratio <= 1.5,
      },
    ];
  });
}

/** What a preview and a refresh of each rental cost must not rise with their number. */
export function growth(context: Context): Promise<Row[]> {
  const [few, many] = context.quick ? [20, 60] : [200, 2000];
  return withService({ provision: 0, end: 0 }, async (service) => {
    const [small, large] = [await timeLooks(context, service, few), await timeLooks(context, service, many)];
    return (["preview", "refresh"] as const).map((verb) => {
      const [ours, beside] = [(median(large[verb]) / many) * 1000, (median(small[verb]) / few) * 1000];
      return {
        what: `${verb}: cost per resource, ${few} → ${many}`,
        goal: "≤ 1.2 ×",
        ours: `${ours.toFixed(2)} ms`,
        beside: `${beside.toFixed(2)} ms`,
        ratio: (ours / beside).toFixed(2),
        met: ours <= 1.2 * beside,
      };
    });
  });
}

async function timeLooks({ rounds, say }: Context, service: Service, count: number) {
  await service.reset();
  const project = await Project.create(service.url, "ours", count);
  try {
    await project.prepare();
    const times: Record<"preview" | "refresh", number[]> = { preview: [], refresh: [] };
    for (let round = 1; round <= rounds; round += 1)
      for (const verb of ["preview", "refresh"] as const) {
        const { seconds } = await project[verb]();
        times[verb].push(seconds);
        say(`${count}, round ${round} of ${rounds}: ${verb} ${showSeconds(seconds)}`);
      }
    return times;
  } finally {
    await project.remove();
  }
}
