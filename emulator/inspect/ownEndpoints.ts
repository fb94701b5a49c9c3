import { z } from "zod";
import { type FaultQueue, faultKinds, faultSpec, parse, readJson, routesOf, type ServiceApp } from "../http";
import { Refusal } from "../refusal";
import type { World } from "../state";
import { formatTimestamp } from "../timestamp";
import type { FaultChoices } from "./faultChoices";
import { objectsOf, stateOf } from "./objects";
import { overviewOf } from "./overview";
import { pageAsset } from "./page";
import type { RequestLog } from "./requestLog";
import { type Row, rowOf } from "./row";

const clockRequest = z.strictObject({ advanceSeconds: z.number().min(0) });

export interface Controls {
  world: World;
  faults: FaultQueue;
  log: RequestLog;
  reset(): void;
}

/** The page, and the endpoints to inspect and control the emulator. They need no API key. */
export function ownEndpoints({ world, faults, log, reset }: Controls): (app: ServiceApp) => void {
  const startedAt = new Date().toISOString();
  return (app) => {
    app.use("/_emulator/*", async (context, next) => {
      refuseOtherSites(context.req.method, context.req.header("origin"), context.req.url);
      await next();
    });
    app.get("/", () => pageAsset("page.html"));
    app.get("/_emulator/page/:name", (context) => pageAsset(context.req.param("name")));
    app.get("/_emulator/process", (context) => context.json({ pid: process.pid, startedAt }));
    app.get("/_emulator/overview", (context) => context.json(overviewOf(world, log, faults.waiting())));
    app.get("/_emulator/state", (context) => context.json(stateOf(world)));
    app.get("/_emulator/state/:kind/:id", (context) => {
      const { kind, id } = context.req.param();
      return context.json(findObject(world, kind, id));
    });
    app.get("/_emulator/requests", (context) => context.json(log.read()));
    app.post("/_emulator/reset", (context) => {
      reset();
      return context.json({ reset: true });
    });
    app.post("/_emulator/clock", async (context) => {
      const { advanceSeconds } = parse(clockRequest, readJson(await context.req.text()));
      advance(world, advanceSeconds);
      return context.json({ now: formatTimestamp(world.clock.now()) });
    });
    app.get("/_emulator/faults", (context) => context.json(faultChoices(world, faults)));
    app.post("/_emulator/faults", async (context) => {
      const specs = parse(z.array(faultSpec), readJson(await context.req.text()));
      faults.add(...specs);
      return context.json({ added: specs.length });
    });
    app.delete("/_emulator/faults", (context) => {
      faults.clear();
      return context.json({ cleared: true });
    });
  };
}

/** Any page that somebody visits can send requests to this port: only our own page may change anything. */
function refuseOtherSites(method: string, origin: string | undefined, url: string): void {
  if (method === "GET" || origin === undefined || origin === new URL(url).origin) return;
  throw new Refusal(403, `requests of ${origin} are refused: only the emulator's own page may change it`);
}

function findObject(world: World, kind: string, id: string): Row {
  const at = world.clock.now();
  for (const object of objectsOf(world, at)) {
    if (object.kind === kind && String(object.id) === id) return rowOf(object, at);
  }
  throw new Refusal(404, `there is no ${kind} ${id}`);
}

function faultChoices(world: World, faults: FaultQueue): FaultChoices {
  const operations = routesOf(world).map(({ name, method, path }) => ({
    name,
    method,
    path: path.replace("{id}", "*"),
  }));
  return { kinds: faultKinds, operations, waiting: faults.waiting() };
}

function advance({ clock }: World, seconds: number): void {
  try {
    clock.advance(seconds);
  } catch (error) {
    if (error instanceof RangeError) throw new Refusal(400, `advanceSeconds: ${error.message}`);
    throw error;
  }
}
