/** What is measured without the engine: loading, parsing, and how soon we know. */
const { execFileSync } = require("node:child_process");
const path = require("node:path");
const { root } = require("../tools/paths");
const { collection, startService } = require("./emulator");
const { describe, median } = require("./sample");

const dist = path.join(root, "dist");

/** Milliseconds that `code` takes in a Node process of its own. @param {string} code @param {string} [first] run before, untimed */
function timeInProcess(code, first = "") {
  const script = `${first};const t=process.hrtime.bigint();${code};process.stdout.write(String(Number(process.hrtime.bigint()-t)/1e6))`;
  return Number(execFileSync(process.execPath, ["-e", script], { cwd: root, encoding: "utf8" }));
}

/** Wall time of a whole command. @param {string[]} args */
function timeCommand(args) {
  const started = process.hrtime.bigint();
  execFileSync(process.execPath, args, { cwd: root, stdio: "ignore" });
  return Number(process.hrtime.bigint() - started) / 1e6;
}

/** @param {number} times @param {readonly (() => number)[]} measures taken in turn */
function interleave(times, ...measures) {
  const samples = measures.map(() => /** @type {number[]} */ ([]));
  for (let round = 0; round < times; round += 1) {
    for (const [index, measure] of measures.entries()) samples[index]?.push(measure());
  }
  return samples;
}

async function loading({ quick }) {
  const times = quick ? 5 : 21;
  const [pulumi, sdk] = interleave(
    times,
    () => timeInProcess('require("@pulumi/pulumi")'),
    () => timeInProcess('require("pulumi-gpufleet")', 'require("@pulumi/pulumi")'),
  );
  const extra = median(sdk);
  const share = extra / median(pulumi);
  const [libraries, provider] = interleave(
    times,
    () => timeInProcess('require("undici");require("zod")'),
    () => timeInProcess('require("pulumi-gpufleet/provider")'),
  );
  const [node, help] = interleave(
    times,
    () => timeCommand(["-e", "0"]),
    () => timeCommand(["bin/gpufleet", "--help"]),
  );
  return [
    {
      what: 'require("pulumi-gpufleet"), beyond @pulumi/pulumi',
      goal: "≤ 5 % of it",
      ours: describe(sdk, "ms"),
      beside: describe(pulumi, "ms"),
      ratio: `${(share * 100).toFixed(1)} %`,
      met: share <= 0.05,
    },
    ratioRow('require("pulumi-gpufleet/provider"), cold', "≤ 1.2 × undici and zod", provider, libraries, 1.2),
    ratioRow("gpufleet --help", "≤ 1.5 × node -e 0", help, node, 1.5),
  ];
}

async function parsing({ quick }) {
  const service = await startService({ provision: 0, end: 0 });
  try {
    const headers = { authorization: "Bearer emulator", "content-type": "application/json" };
    const body = JSON.stringify({ networkType: "infiniband", gpuCount: 8, label: "parsed" });
    await fetch(`${service.url}${collection}`, { method: "POST", headers, body });
    const [record] = await (await fetch(`${service.url}${collection}`, { headers })).json();
    const count = quick ? 1000 : 10_000;
    const text = JSON.stringify(Array.from({ length: count }, (_, index) => ({ ...record, id: index + 1 })));
    const { operations } = require(path.join(dist, "provider/service"));
    const schema = operations.listBareMetalRentals.response;
    const [plain, parsed] = interleave(
      quick ? 3 : 11,
      () => timed(() => JSON.parse(text)),
      () => timed(() => schema.parse(JSON.parse(text))),
    );
    return [
      ratioRow(`parse and validate a list of ${count}`, "≤ 3 × JSON.parse", parsed, plain, 3),
      findingRow(JSON.parse(text)),
    ];
  } finally {
    service.stop();
  }
}

/** @param {() => unknown} work */
function timed(work) {
  const started = process.hrtime.bigint();
  work();
  return Number(process.hrtime.bigint() - started) / 1e6;
}

/** Finding one of many must take as long as finding one of few. */
function findingRow(items) {
  const { Snapshot } = require(path.join(dist, "provider/lifecycle"));
  const { bareMetalRentals } = require(path.join(dist, "provider/records"));
  const [few, many] = [items.slice(0, 100), items].map((list) => {
    const snapshot = new Snapshot(bareMetalRentals, list, 1);
    const id = String(list.at(-1).id);
    return interleave(11, () => timed(() => Array.from({ length: 2000 }, () => snapshot.find(id))))[0];
  });
  const ratio = median(many) / median(few);
  return {
    what: "finding one of them 2,000 times",
    goal: "no scan: ≤ 2 × of 100",
    ours: describe(many, "ms"),
    beside: describe(few, "ms"),
    ratio: ratio.toFixed(2),
    met: ratio <= 2,
  };
}

/** From the moment the service says Running to the moment that create returns. */
async function knowing({ quick }) {
  const provision = 6;
  const service = await startService({ provision, end: 0 });
  process.env.GPUFLEET_BASE_URL = service.url;
  process.env.GPUFLEET_API_KEY = "emulator";
  try {
    const { handler } = require(path.join(dist, "provider"));
    const rentals = handler("BareMetalRental");
    await rentals.configure({ config: { get: () => undefined } });
    const started = Date.now();
    // Spread over a few seconds, so that they do not all become ready in one moment.
    const lags = await Promise.all(
      Array.from({ length: quick ? 5 : 40 }, async (_, index) => {
        await new Promise((resolve) => setTimeout(resolve, index * 250));
        const origin = `bench/urn:pulumi:bench::bench::pulumi-nodejs:dynamic/gpufleet:BareMetalRental::rental-${index}`;
        const { inputs } = await rentals.check({}, { networkType: "infiniband", gpuCount: 8, __origin: origin });
        const { outs } = await rentals.create(inputs);
        return (Date.now() - Date.parse(outs.createdAt)) / 1000 - provision;
      }),
    );
    const calls = await service.listCalls();
    const perCall = (Date.now() - started) / 1000 / calls;
    return [
      {
        what: "from Running to knowing it",
        goal: "median ≤ 1.5 s",
        ours: describe(lags),
        beside: "",
        ratio: "",
        met: median(lags) <= 1.5,
      },
      {
        what: "seconds per list call meanwhile",
        goal: "≥ 2",
        ours: perCall.toFixed(2),
        beside: `${calls} calls`,
        ratio: "",
        met: perCall >= 2,
      },
    ];
  } finally {
    service.stop();
  }
}

function ratioRow(what, goal, ours, beside, limit) {
  const ratio = median(ours) / median(beside);
  return {
    what,
    goal,
    ours: describe(ours, "ms"),
    beside: describe(beside, "ms"),
    ratio: ratio.toFixed(2),
    met: ratio <= limit,
  };
}

module.exports = { loading, parsing, knowing };
