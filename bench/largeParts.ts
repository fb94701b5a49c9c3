/** What is measured of large stacks and of machines that take long to end. Each takes minutes, so each is run once. */
import { cpSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { run, ToolError } from "../tools/bootstrap/command";
import { root } from "../tools/bootstrap/paths";
import { Workspace } from "../tools/workspace";
import { apiKey, type Service } from "./emulator";
import type { Contestant } from "./programs";
import { Project } from "./project";
import type { Context, Row } from "./row";
import { describe } from "./sample";
import { showSeconds, withService } from "./turns";

/** A row whose limit is a multiple of what it is held against. */
function besideLimit(
  what: string,
  { ours, limit, times, goal }: { ours: number; limit: number; times: number; goal: string },
): Row {
  const ratio = ours / limit;
  return {
    what,
    goal,
    ours: describe([ours]),
    beside: showSeconds(limit),
    ratio: ratio.toFixed(2),
    met: ratio <= times,
  };
}

/** How long a fleet takes to be gone whose machines take long to end. */
export function ending({ quick, say }: Context): Promise<Row[]> {
  const end = quick ? 3 : 30;
  const [few, many] = quick ? [20, 40] : [200, 1000];
  return withService({ provision: 0, end }, async (service) => {
    const destroy = async (name: Contestant, count: number) => {
      const sample = await destroyed(service, name, count);
      say(`${name} of ${count}: ${showSeconds(sample.seconds)}, ${sample.calls} list calls`);
      return sample;
    };
    const [floor, ours, naive] = [
      await destroy("floor", few),
      await destroy("fleet", few),
      await destroy("naive", few),
    ];
    const [largeFloor, large] = [await destroy("floor", many), await destroy("fleet", many)];
    const goal = `≤ 1.25 × (floor + ${end} s)`;
    const row = (count: number, own: number, least: number) =>
      besideLimit(`destroy of a fleet of ${count}, ${end} s to end`, {
        ours: own,
        limit: least + end,
        times: 1.25,
        goal,
      });
    return [
      row(few, ours.seconds, floor.seconds),
      {
        what: `destroy of ${few} with the naive provider, ${end} s to end`,
        goal: "naive ≥ 5 × ours",
        ours: describe([ours.seconds]),
        beside: describe([naive.seconds]),
        ratio: (naive.seconds / ours.seconds).toFixed(2),
        met: naive.seconds >= 5 * ours.seconds,
      },
      {
        what: `list calls of the destroy of a fleet of ${few}`,
        goal: "naive ≥ 5 × ours",
        ours: String(ours.calls),
        beside: String(naive.calls),
        ratio: (naive.calls / ours.calls).toFixed(2),
        met: naive.calls >= 5 * ours.calls,
      },
      row(many, large.seconds, largeFloor.seconds),
    ];
  });
}

async function destroyed(service: Service, name: Contestant, count: number) {
  await service.reset();
  const project = await Project.create(service.url, name, count);
  try {
    await project.prepare();
    const before = await service.listCalls();
    const sample = await project.destroy();
    return { seconds: sample.seconds, calls: (await service.listCalls()) - before };
  } finally {
    await project.remove();
  }
}

/** The example that spreads a fleet over stacks, beside one stack by itself: what each machine costs must not rise. */
export function stacks({ quick, say }: Context): Promise<Row[]> {
  const { count, perStack } = quick ? { count: 60, perStack: 20 } : { count: 2000, perStack: 200 };
  return withService({ provision: 0, end: 0 }, async (service) => {
    const one = await oneStack(service, perStack);
    say(`one stack of ${perStack}: up ${showSeconds(one.up)}, destroy ${showSeconds(one.destroy)}`);
    await service.reset();
    const all = await manyStacks(service, count, perStack);
    say(`${count} over ${count / perStack} stacks: up ${showSeconds(all.up)}, destroy ${showSeconds(all.destroy)}`);
    return (["up", "destroy"] as const).map((verb) => {
      const [ours, beside] = [(all[verb] / count) * 1000, (one[verb] / perStack) * 1000];
      return {
        what: `${verb} of a fleet of ${count} over ${count / perStack} stacks on ${cpus().length} cores: cost per machine`,
        goal: `≤ 1.2 × of ${perStack} in one stack`,
        ours: `${ours.toFixed(1)} ms (one run)`,
        beside: `${beside.toFixed(1)} ms`,
        ratio: (ours / beside).toFixed(2),
        met: ours <= 1.2 * beside,
      };
    });
  });
}

interface UpAndDestroy {
  up: number;
  destroy: number;
}

async function oneStack(service: Service, count: number): Promise<UpAndDestroy> {
  const project = await Project.create(service.url, "fleet", count);
  try {
    return { up: (await project.up()).seconds, destroy: (await project.destroy()).seconds };
  } finally {
    await project.remove();
  }
}

async function manyStacks(service: Service, count: number, perStack: number): Promise<UpAndDestroy> {
  const env = { GPUFLEET_BASE_URL: service.url, GPUFLEET_API_KEY: apiKey };
  const workspace = await Workspace.create({ program: "", project: "bench", env });
  try {
    const folder = join(workspace.folder, "large-fleet");
    cpSync(join(root, "examples", "large-fleet"), folder, {
      recursive: true,
      filter: (path) => !/large-fleet\/(work|node_modules)/.test(path),
    });
    const script = async (...args: string[]) => {
      const started = performance.now();
      const { code, stderr } = await run(
        process.execPath,
        ["--require", "ts-node/register", join(folder, "index.ts"), ...args],
        { cwd: folder, env: workspace.env, output: "capture" },
      );
      if (code !== 0) throw new ToolError(`large-fleet ${args.join(" ")} failed:\n${stderr}`);
      return (performance.now() - started) / 1000;
    };
    return {
      up: await script("up", String(count), "--per-stack", String(perStack)),
      destroy: await script("destroy"),
    };
  } finally {
    await workspace.dispose();
  }
}
