import { z } from "zod";
import { type FaultQueue, faultSpec, parse, readJson, type ServiceApp } from "../http";
import { Refusal } from "../refusal";
import type { World } from "../state";
import { formatTimestamp } from "../timestamp";
import { stateOf } from "./objects";
import { overviewOf } from "./overview";
import { readPage } from "./page";
import type { RequestLog } from "./requestLog";

const clockRequest = z.strictObject({ advanceSeconds: z.number().min(0) });

export interface Controls {
  world: World;
  faults: FaultQueue;
  log: RequestLog;
  reset(): void;
}

/** The page, and the endpoints to inspect and control the emulator. They need no API key. */
export function ownEndpoints({ world, faults, log, reset }: Controls): (app: ServiceApp) => void {
  return (app) => {
    app.get("/", (context) => {
      const { html, headers } = readPage();
      return context.html(html, 200, headers);
    });
    app.get("/_emulator/overview", (context) => context.json(overviewOf(world)));
    app.get("/_emulator/state", (context) => context.json(stateOf(world)));
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

function advance({ clock }: World, seconds: number): void {
  try {
    clock.advance(seconds);
  } catch (error) {
    if (error instanceof RangeError) throw new Refusal(400, `advanceSeconds: ${error.message}`);
    throw error;
  }
}
