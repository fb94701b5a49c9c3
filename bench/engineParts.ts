/** What is measured through the real engine. Runs of the contestants alternate, so that a busy moment hits them all. */
import { cpus } from "node:os";
import { z } from "zod";
import { type Service, startService } from "./emulator";
import type { Contestant } from "./programs";
import { Project, type Sample } from "./project";
import type { Context, Row } from "./row";
import { describe, median } from "./sample";

/** The engine runs this many operations at a time: 4 per core. */
const parallelism = 4 * cpus().length;

async function withService<Result>(
  seconds: { provision: number; end: number },
  work: (service: Service) => Promise<Result>,
): Promise<Result> {
  const service = await startService(seconds);
  try {
    return await work(service);
  } finally {
    service.stop();
  }
}

/** Seconds of each contestant, taken in turn. */
async function takeTurns<Name extends Contestant>(
  { rounds, say }: Context,
  contestants: readonly Name[],
  measure: (contestant: Name) => Promise<{ seconds: number; note: string }>,
): Promise<(contestant: Name) => number[]> {
  const times = new Map<Name, number[]>(contestants.map((name) => [name, []]));
  for (let round = 1; round <= rounds; round += 1) {
    for (const name of contestants) {
      const { seconds, note } = await measure(name);
      times.get(name)?.push(seconds);
      say(`round ${round} of ${rounds}: ${name} ${seconds.toFixed(1)} s${note}`);
    }
  }
  return (name) => times.get(name) ?? [];
}

/** One `up` in a project of its own, which is then thrown away. */
async function freshUp({ engine }: Context, service: Service, name: Contestant, count: number) {
  await service.reset();
  const project = await Project.create(engine, service.url, name, count);
  const sample = await project.up();
  const calls = await service.listCalls();
  project.remove();
  return { ...sample, calls };
}

const provisioning = 5;

export function fleet(context: Context): Promise<Row[]> {
  return withService({ provision: provisioning, end: 0 }, async (service) => {
    const calls = { fleet: [0], naive: [0], floor: [0], ours: [0] };
    const times = await takeTurns(context, ["floor", "fleet", "naive"], async (name) => {
      const sample = await freshUp(context, service, name, context.size);
      calls[name].push(sample.calls);
      return { seconds: sample.seconds, note: `, ${sample.calls} list calls` };
    });
    const limit = median(times("floor")) + provisioning;
    const ours = median(times("fleet")) / limit;
    const naive = median(times("naive")) / median(times("fleet"));
    const [ourCalls, naiveCalls] = [median(calls.fleet.slice(1)), median(calls.naive.slice(1))];
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
        what: "naive beside it",
        goal: "naive ≥ 5 × ours",
        ours: shown,
        beside: describe(times("naive")),
        ratio: naive.toFixed(2),
        met: naive >= 5,
      },
      {
        what: "list calls for it",
        goal: "≤ 20",
        ours: String(ourCalls),
        beside: `naive ${naiveCalls}`,
        ratio: "",
        met: ourCalls <= 20,
      },
    ];
  });
}

export function singles(context: Context): Promise<Row[]> {
  return withService({ provision: 0, end: 0 }, async (service) => {
    const firstLines: Record<"floor" | "ours", number[]> = { floor: [], ours: [] };
    const times = await takeTurns(context, ["floor", "ours"], async (name) => {
      const { seconds, calls, firstLine } = await freshUp(context, service, name, context.size);
      firstLines[name].push(firstLine);
      return { seconds, note: `, ${calls} list calls` };
    });
    return [
      besideFloor(`up of ${context.size} single rentals, instant`, 1.15, times("ours"), times("floor")),
      besideFloor("its first line", 1.25, firstLines.ours, firstLines.floor),
    ];
  });
}

export function destroy(context: Context): Promise<Row[]> {
  const ending = 2;
  return withService({ provision: 0, end: ending }, async (service) => {
    const times = await takeTurns(context, ["floor", "ours"], async (name) => {
      await service.reset();
      const project = await Project.create(context.engine, service.url, name, context.size);
      await project.prepare();
      const { seconds } = await project.destroy();
      project.remove();
      return { seconds, note: "" };
    });
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

/** What was measured of an unchanged stack of one size. */
interface Unchanged {
  count: number;
  preview: Record<"floor" | "ours", Sample[]>;
  refresh: Record<"floor" | "ours", Sample[]>;
  /** List calls of one refresh of ours. */
  calls: number;
  /** Our exported state. */
  state: string;
}

export function unchanged(context: Context): Promise<Row[]> {
  const [small, middle, large] = context.quick ? [20, 40, 60] : [200, 1000, 2000];
  return withService({ provision: 0, end: 0 }, async (service) => {
    const few = await measureUnchanged(context, service, small ?? 0);
    const many = await measureUnchanged(context, service, middle ?? 0);
    // For growth, where we are held against ourselves.
    const most = await measureUnchanged(context, service, large ?? 0, ["ours"]);
    return [
      ...[few, many].map((sizes) => verbRow("preview", 1.1, sizes)),
      verbRow("refresh", 1.25, many),
      {
        what: `list calls of a refresh of ${many.count}`,
        goal: "1",
        ours: String(many.calls),
        beside: "",
        ratio: "",
        met: many.calls === 1,
      },
      memoryRow(many),
      stateRow(many),
      growthRow("preview", few, most),
      growthRow("refresh", few, most),
    ];
  });
}

async function measureUnchanged(
  { engine, rounds, say }: Context,
  service: Service,
  count: number,
  contestants: readonly ("floor" | "ours")[] = ["floor", "ours"],
): Promise<Unchanged> {
  await service.reset();
  const projects = new Map<"floor" | "ours", Project>();
  for (const name of contestants) {
    const project = await Project.create(engine, service.url, name, count);
    await project.prepare();
    projects.set(name, project);
  }
  const measured: Unchanged = {
    count,
    preview: { floor: [], ours: [] },
    refresh: { floor: [], ours: [] },
    calls: 0,
    state: (await projects.get("ours")?.state()) ?? "",
  };
  for (let round = 1; round <= rounds; round += 1) {
    for (const verb of ["preview", "refresh"] as const) {
      for (const [name, project] of projects) {
        const before = await service.listCalls();
        const sample = await project[verb]();
        measured[verb][name].push(sample);
        if (name === "ours" && verb === "refresh") measured.calls = (await service.listCalls()) - before;
        say(`${count}, round ${round} of ${rounds}: ${verb} ${name} ${sample.seconds.toFixed(1)} s`);
      }
    }
  }
  for (const project of projects.values()) project.remove();
  return measured;
}

const secondsOf = (samples: readonly Sample[]) => samples.map(({ seconds }) => seconds);
const memoryOf = (samples: readonly Sample[]) => samples.map(({ memory }) => memory);

function verbRow(verb: "preview" | "refresh", limit: number, measured: Unchanged): Row {
  const { floor, ours } = measured[verb];
  return besideFloor(`${verb} of ${measured.count}, unchanged`, limit, secondsOf(ours), secondsOf(floor));
}

function memoryRow({ count, refresh }: Unchanged): Row {
  const what = `memory of the provider process, refresh of ${count}`;
  return besideFloor(what, 1.3, memoryOf(refresh.ours), memoryOf(refresh.floor), "MB");
}

function besideFloor(what: string, limit: number, ours: number[], floor: number[], unit = "s"): Row {
  const ratio = median(ours) / median(floor);
  return {
    what,
    goal: `≤ ${limit} × floor`,
    ours: describe(ours, unit),
    beside: describe(floor, unit),
    ratio: ratio.toFixed(2),
    met: ratio <= limit,
  };
}

const exported = z.object({
  deployment: z.object({
    resources: z.array(z.looseObject({ type: z.string(), inputs: z.record(z.string(), z.unknown()).optional() })),
  }),
});

function stateRow({ state }: Unchanged): Row {
  const { resources } = exported.parse(JSON.parse(state)).deployment;
  const rental = resources.find(({ type }) => type.endsWith(":BareMetalRental"));
  const bytes = JSON.stringify(rental).length;
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

/** What each resource costs must not rise with their number. */
function growthRow(verb: "preview" | "refresh", few: Unchanged, most: Unchanged): Row {
  const perResource = (measured: Unchanged) => (median(secondsOf(measured[verb].ours)) / measured.count) * 1000;
  const ratio = perResource(most) / perResource(few);
  return {
    what: `${verb}: cost per resource, ${few.count} → ${most.count}`,
    goal: "≤ 1.2 ×",
    ours: `${perResource(most).toFixed(2)} ms`,
    beside: `${perResource(few).toFixed(2)} ms`,
    ratio: ratio.toFixed(2),
    met: ratio <= 1.2,
  };
}
