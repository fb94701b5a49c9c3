/** What is measured through the real engine. */
import { cpus } from "node:os";
import { z } from "zod";
import type { Service } from "./emulator";
import type { Contestant } from "./programs";
import { Project, type Sample } from "./project";
import type { Context, Row } from "./row";
import { describe, median } from "./sample";
import { besideFloor, memoryRow, takeTurns, withService } from "./turns";

/** The engine runs this many operations at a time: 4 per core. */
const parallelism = 4 * cpus().length;

/** One `up` in a project of its own, which is then thrown away. */
async function freshUp(service: Service, name: Contestant, count: number, verb: "up" | "prepare" = "up") {
  await service.reset();
  const project = await Project.create(service.url, name, count);
  try {
    const sample = await project[verb]();
    return { ...sample, calls: await service.listCalls() };
  } finally {
    await project.remove();
  }
}

const showSeconds = (seconds: number) => `${seconds.toFixed(1)} s`;

const provisioning = 5;

export function fleet(context: Context): Promise<Row[]> {
  return withService({ provision: provisioning, end: 0 }, async (service) => {
    const calls = { fleet: [0], naive: [0], floor: [0] };
    const times = await takeTurns(context, ["floor", "fleet", "naive"], async (name) => {
      const sample = await freshUp(service, name, context.size);
      calls[name].push(sample.calls);
      return { value: sample.seconds, note: `${showSeconds(sample.seconds)}, ${sample.calls} list calls` };
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
        what: "the same with the naive provider",
        goal: "naive ≥ 5 × ours",
        ours: shown,
        beside: describe(times("naive")),
        ratio: naive.toFixed(2),
        met: naive >= 5,
      },
      {
        what: "its list calls",
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
      const { seconds, calls, firstLine } = await freshUp(service, name, context.size);
      firstLines[name].push(firstLine);
      return { value: seconds, note: `${showSeconds(seconds)}, ${calls} list calls` };
    });
    return [
      besideFloor(`up of ${context.size} single rentals, instant`, 1.15, times("ours"), times("floor")),
      besideFloor("its first line of output", 1.25, firstLines.ours, firstLines.floor),
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

/** Sizes of large stacks: a small one, the usual one, and one that shows how cost grows. */
export function sizesOf({ quick }: Context) {
  return quick ? { small: 20, middle: 40, large: 60 } : { small: 200, middle: 1000, large: 2000 };
}

export function memory(context: Context): Promise<Row[]> {
  const { middle } = sizesOf(context);
  return withService({ provision: 0, end: 0 }, async (service) => {
    const peaks = await takeTurns(context, ["floor", "ours"], async (name) => {
      const { memory: peak } = await freshUp(service, name, middle, "prepare");
      return { value: peak, note: `${peak.toFixed(0)} MB` };
    });
    return [memoryRow(`up of ${middle}`, peaks("ours"), peaks("floor"))];
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
  const { small, middle, large } = sizesOf(context);
  return withService({ provision: 0, end: 0 }, async (service) => {
    const few = await measureUnchanged(context, service, small);
    const many = await measureUnchanged(context, service, middle);
    // For growth, where we are held against ourselves.
    const most = await measureUnchanged(context, service, large, ["ours"]);
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
      memoryRow(`refresh of ${many.count}`, memoryOf(many.refresh.ours), memoryOf(many.refresh.floor)),
      stateRow(many),
      growthRow("preview", few, most),
      growthRow("refresh", few, most),
    ];
  });
}

async function measureUnchanged(
  { rounds, say }: Context,
  service: Service,
  count: number,
  contestants: readonly ("floor" | "ours")[] = ["floor", "ours"],
): Promise<Unchanged> {
  await service.reset();
  const projects = new Map<"floor" | "ours", Project>();
  for (const name of contestants) {
    const project = await Project.create(service.url, name, count);
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
  for (const project of projects.values()) await project.remove();
  return measured;
}

const secondsOf = (samples: readonly Sample[]) => samples.map(({ seconds }) => seconds);
const memoryOf = (samples: readonly Sample[]) => samples.map(({ memory }) => memory);

function verbRow(verb: "preview" | "refresh", limit: number, measured: Unchanged): Row {
  const { floor, ours } = measured[verb];
  return besideFloor(`${verb} of ${measured.count}, unchanged`, limit, secondsOf(ours), secondsOf(floor));
}

const exported = z.object({
  deployment: z.object({
    resources: z.array(z.looseObject({ type: z.string(), inputs: z.record(z.string(), z.unknown()).optional() })),
  }),
});

/** A rental of an exported state, and how many bytes it takes there. */
export function rentalIn(state: string) {
  const { resources } = exported.parse(JSON.parse(state)).deployment;
  const rental = resources.find(({ type }) => type.endsWith(":BareMetalRental"));
  return { rental, bytes: JSON.stringify(rental).length };
}

function stateRow({ state }: Unchanged): Row {
  const { rental, bytes } = rentalIn(state);
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
