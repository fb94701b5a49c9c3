/** What is measured without the engine: loading, parsing, and how soon we know. */
import { execFileSync } from "node:child_process";
import { z } from "zod";
import { createClient, systemClock } from "../provider/client";
import { createRuntime, readSettings } from "../provider/fronts";
import { noEngine, type Runtime, Snapshot } from "../provider/lifecycle";
import { bareMetalRental, bareMetalRentals } from "../provider/resources";
import { type ActiveBareMetalRental, operations } from "../provider/service";
import { parseJson } from "../provider/shared/json";
import { root } from "../tools/bootstrap/paths";
import { apiKey, startService } from "./emulator";
import type { Context, Row } from "./row";
import { describe, median } from "./sample";

/** Milliseconds that `code` takes in a Node process of its own, after `first`, which is not timed. */
function timeInProcess(code: string, first = ""): number {
  const script = `${first};const t=process.hrtime.bigint();${code};process.stdout.write(String(Number(process.hrtime.bigint()-t)/1e6))`;
  return Number(execFileSync(process.execPath, ["-e", script], { cwd: root, encoding: "utf8" }));
}

/** Milliseconds of a whole command. */
function timeCommand(args: readonly string[]): number {
  return timed(() => execFileSync(process.execPath, args, { cwd: root, stdio: "ignore" }));
}

function timed(work: () => unknown): number {
  const started = process.hrtime.bigint();
  work();
  return Number(process.hrtime.bigint() - started) / 1e6;
}

/** Two measures, taken in turn. */
function inTurn(times: number, one: () => number, other: () => number): [number[], number[]] {
  const samples: [number[], number[]] = [[], []];
  for (let round = 0; round < times; round += 1) {
    samples[0].push(one());
    samples[1].push(other());
  }
  return samples;
}

export async function loading({ quick }: Context): Promise<Row[]> {
  const times = quick ? 5 : 41;
  const [pulumi, sdk] = inTurn(
    times,
    () => timeInProcess('require("@pulumi/pulumi")'),
    () => timeInProcess('require("pulumi-gpufleet")', 'require("@pulumi/pulumi")'),
  );
  const share = median(sdk) / median(pulumi);
  const [libraries, provider] = inTurn(
    times,
    () => timeInProcess('require("undici");require("zod")'),
    () => timeInProcess('require("pulumi-gpufleet/provider")'),
  );
  const [node, help] = inTurn(
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

export async function parsing({ quick }: Context): Promise<Row[]> {
  const count = quick ? 1000 : 10_000;
  const record = await oneRecord();
  const text = JSON.stringify(Array.from({ length: count }, (_, index) => ({ ...record, id: index + 1 })));
  const schema = operations.listBareMetalRentals.response;
  const [plain, parsed] = inTurn(
    quick ? 3 : 11,
    () => timed(() => JSON.parse(text)),
    () => timed(() => schema.parse(parseJson(text))),
  );
  return [
    ratioRow(`parse and validate a list of ${count}`, "≤ 3 × JSON.parse", parsed, plain, 3),
    findingRow(schema.parse(JSON.parse(text))),
  ];
}

/** A record as the emulator makes it. */
async function oneRecord(): Promise<ActiveBareMetalRental> {
  const service = await startService({ provision: 0, end: 0 });
  const client = createClient({ baseUrl: service.url, apiKey });
  try {
    await client.createBareMetalRental({ networkType: "infiniband", gpuCount: 8, label: "parsed" });
    const [record] = await client.listBareMetalRentals();
    if (!record) throw new Error("the emulator lists nothing");
    return record;
  } finally {
    await client.close();
    service.stop();
  }
}

/** Finding one of many must take as long as finding one of few. */
function findingRow(items: ActiveBareMetalRental[]): Row {
  const find = (list: ActiveBareMetalRental[]) => {
    const snapshot = new Snapshot(bareMetalRentals, list, 1);
    const id = String(list.at(-1)?.id);
    return () => timed(() => Array.from({ length: 2000 }, () => snapshot.find(id)));
  };
  const [few, many] = inTurn(21, find(items.slice(0, 100)), find(items));
  return ratioRow(`finding one of ${items.length} 2,000 times`, "no scan: ≤ 2 × one of 100", many, few, 2);
}

const provisioning = 6;

/** From the moment the service says Running to the moment that create returns. */
export async function knowing({ quick }: Context): Promise<Row[]> {
  const service = await startService({ provision: provisioning, end: 0 });
  const client = createClient({ baseUrl: service.url, apiKey });
  try {
    const runtime = runtimeOf(client, service.url);
    const started = Date.now();
    // Spread over a few seconds, so that they do not all become ready in one moment.
    const lags = await Promise.all(
      Array.from({ length: quick ? 5 : 40 }, async (_, index) => {
        await systemClock.sleep(index * 250);
        return lagOf(runtime, `rental-${index}`);
      }),
    );
    const calls = await service.listCalls();
    const perCall = (Date.now() - started) / 1000 / Math.max(1, calls - 1);
    return [
      {
        what: "from Running to the end of create",
        goal: "median ≤ 1.5 s",
        ours: describe(lags),
        beside: "",
        ratio: "",
        met: median(lags) <= 1.5,
      },
      {
        what: "seconds per list call while waiting, after the first",
        goal: "≥ 2",
        ours: perCall.toFixed(2),
        beside: `${calls} calls`,
        ratio: "",
        met: perCall >= 2,
      },
    ];
  } finally {
    await client.close();
    service.stop();
  }
}

const made = z.object({ createdAt: z.string() });

async function lagOf(runtime: Runtime, name: string): Promise<number> {
  const urn = `urn:pulumi:bench::bench::pulumi-nodejs:dynamic/gpufleet:BareMetalRental::${name}`;
  const asked = { networkType: "infiniband", gpuCount: 8, __origin: `bench/${urn}` };
  const { inputs } = bareMetalRental.check(runtime, {}, asked);
  const { outputs } = await bareMetalRental.create(runtime, inputs);
  return (Date.now() - Date.parse(made.parse(outputs).createdAt)) / 1000 - provisioning;
}

function runtimeOf(client: Runtime["client"], url: string): Runtime {
  return createRuntime({
    client: () => client,
    service: () => ({ addresses: { v2: url, v1: url }, key: undefined, movedFrom: [] }),
    isConfigured: () => true,
    settings: () => readSettings(() => undefined, {}),
    engine: noEngine,
    greetsSsh: async () => true,
  });
}

function ratioRow(what: string, goal: string, ours: number[], beside: number[], limit: number): Row {
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
