/** What is measured through the real engine. Runs of the contestants alternate, so that a busy moment hits them all. */
const { programs } = require("./programs");
const { Project } = require("./project");
const { startService } = require("./emulator");
const { describe, median } = require("./sample");

/**
 * @typedef {object} Row
 * @property {string} what
 * @property {string} goal
 * @property {string} ours
 * @property {string} beside what it is held against
 * @property {string} ratio
 * @property {boolean} met
 */

/** The engine runs this many operations at a time: 4 per core. */
const parallelism = 4 * require("node:os").cpus().length;

const provisioning = 5;

/** One `up` in a project of its own, which is then thrown away. */
async function freshUp({ engine }, service, name, count) {
  await service.reset();
  const project = await new Project({ engine, service, name, source: programs[name](count) }).initialise();
  const { seconds } = await project.up();
  const calls = await service.listCalls();
  project.remove();
  return { seconds, calls };
}

async function fleet(context) {
  const { rounds, size, say } = context;
  const service = await startService({ provision: provisioning, end: 0 });
  const times = { floor: [], fleet: [], naive: [] };
  const calls = { fleet: [], naive: [] };
  try {
    for (let round = 1; round <= rounds; round += 1) {
      for (const name of ["floor", "fleet", "naive"]) {
        const sample = await freshUp(context, service, name, size);
        times[name].push(sample.seconds);
        calls[name]?.push(sample.calls);
        say(`round ${round} of ${rounds}: ${name} ${sample.seconds.toFixed(1)} s, ${sample.calls} list calls`);
      }
    }
  } finally {
    service.stop();
  }
  const limit = median(times.floor) + provisioning;
  const ours = median(times.fleet) / limit;
  const naive = median(times.naive) / median(times.fleet);
  return [
    row(
      `up of a fleet of ${size}, ${provisioning} s provisioning`,
      "≤ 1.5 × (floor + 5 s)",
      times.fleet,
      `${limit.toFixed(2)} s`,
      ours,
      ours <= 1.5,
    ),
    row(`naive beside it`, "naive ≥ 5 × ours", times.fleet, describe(times.naive), naive, naive >= 5),
    {
      what: "list calls for it",
      goal: "≤ 20",
      ours: String(median(calls.fleet)),
      beside: `naive ${median(calls.naive)}`,
      ratio: "",
      met: median(calls.fleet) <= 20,
    },
  ];
}

async function singles(context) {
  const { rounds, size, say } = context;
  const service = await startService({ provision: 0, end: 0 });
  const times = { floor: [], ours: [] };
  try {
    for (let round = 1; round <= rounds; round += 1) {
      for (const name of ["floor", "ours"]) {
        const { seconds, calls } = await freshUp(context, service, name, size);
        times[name].push(seconds);
        say(`round ${round} of ${rounds}: ${name} ${seconds.toFixed(1)} s, ${calls} list calls`);
      }
    }
  } finally {
    service.stop();
  }
  const ratio = median(times.ours) / median(times.floor);
  return [
    row(
      `up of ${size} single rentals, instant`,
      "≤ 1.15 × floor",
      times.ours,
      describe(times.floor),
      ratio,
      ratio <= 1.15,
    ),
  ];
}

async function unchanged(context) {
  const { engine, rounds, quick, say } = context;
  const sizes = quick ? [20, 40] : [200, 1000, 2000];
  const service = await startService({ provision: 0, end: 0 });
  const rows = [];
  const perResource = new Map();
  try {
    for (const count of sizes) {
      await service.reset();
      const projects = {};
      for (const name of ["floor", "ours"]) {
        projects[name] = await new Project({ engine, service, name, source: programs[name](count) }).initialise();
        await projects[name].up();
      }
      const samples = { preview: { floor: [], ours: [] }, refresh: { floor: [], ours: [] } };
      const memory = { floor: [], ours: [] };
      let calls = 0;
      for (let round = 1; round <= rounds; round += 1) {
        for (const verb of ["preview", "refresh"]) {
          for (const name of ["floor", "ours"]) {
            const before = await service.listCalls();
            const sample = await projects[name][verb]();
            samples[verb][name].push(sample.seconds);
            if (verb === "refresh") memory[name].push(sample.memory);
            if (verb === "refresh" && name === "ours") calls = (await service.listCalls()) - before;
            say(`${count}, round ${round} of ${rounds}: ${verb} ${name} ${sample.seconds.toFixed(1)} s`);
          }
        }
      }
      for (const verb of ["preview", "refresh"]) {
        const ratio = median(samples[verb].ours) / median(samples[verb].floor);
        const limit = verb === "preview" ? 1.1 : 1.25;
        perResource.set(`${verb} ${count}`, median(samples[verb].ours) / count);
        if (count !== 2000 && (verb === "preview" || count !== 200)) {
          rows.push(
            row(
              `${verb} of ${count}, unchanged`,
              `≤ ${limit} × floor`,
              samples[verb].ours,
              describe(samples[verb].floor),
              ratio,
              ratio <= limit,
            ),
          );
        }
      }
      if (count === sizes[1]) {
        rows.push({
          what: `list calls of a refresh of ${count}`,
          goal: "1",
          ours: String(calls),
          beside: "",
          ratio: "",
          met: calls === 1,
        });
        const ratio = median(memory.ours) / median(memory.floor);
        rows.push(
          row(
            `memory of the provider process with ${count}`,
            "≤ 1.3 × floor",
            memory.ours,
            describe(memory.floor, "MB"),
            ratio,
            ratio <= 1.3,
            "MB",
          ),
        );
        rows.push(await stateSize(projects.ours));
      }
      for (const project of Object.values(projects)) project.remove();
    }
  } finally {
    service.stop();
  }
  return [...rows, ...growth(perResource, sizes)];
}

async function stateSize(project) {
  const { deployment } = await project.state();
  const rental = deployment.resources.find((resource) => resource.type.endsWith(":BareMetalRental"));
  const bytes = JSON.stringify(rental).length;
  const stub = rental.inputs.__provider.length;
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
function growth(perResource, sizes) {
  const [small, large] = [sizes[0], sizes.at(-1)];
  return ["preview", "refresh"].map((verb) => {
    const [before, after] = [perResource.get(`${verb} ${small}`), perResource.get(`${verb} ${large}`)];
    const ratio = after / before;
    return {
      what: `${verb}: cost per resource, ${small} → ${large}`,
      goal: "≤ 1.2 ×",
      ours: `${(after * 1000).toFixed(2)} ms`,
      beside: `${(before * 1000).toFixed(2)} ms`,
      ratio: ratio.toFixed(2),
      met: ratio <= 1.2,
    };
  });
}

async function destroy(context) {
  const { engine, rounds, size, say } = context;
  const ending = 2;
  const service = await startService({ provision: 0, end: ending });
  const times = { floor: [], ours: [] };
  try {
    for (let round = 1; round <= rounds; round += 1) {
      for (const name of ["floor", "ours"]) {
        await service.reset();
        const project = await new Project({ engine, service, name, source: programs[name](size) }).initialise();
        await project.up();
        const { seconds } = await project.destroy();
        project.remove();
        times[name].push(seconds);
        say(`round ${round} of ${rounds}: ${name} ${seconds.toFixed(1)} s`);
      }
    }
  } finally {
    service.stop();
  }
  const limit = median(times.floor) + (size / parallelism) * ending;
  const ratio = median(times.ours) / limit;
  return [
    row(
      `destroy of ${size}, ${ending} s to end`,
      "≤ 1.5 × (floor + 2 s at the engine's parallelism)",
      times.ours,
      `${limit.toFixed(2)} s`,
      ratio,
      ratio <= 1.5,
    ),
  ];
}

/** @returns {Row} */
function row(what, goal, ours, beside, ratio, met, unit = "s") {
  return { what, goal, ours: describe(ours, unit), beside, ratio: ratio.toFixed(2), met };
}

module.exports = { fleet, singles, unchanged, destroy };
