import { setFlagsFromString } from "node:v8";
import { hosted } from "./fronts/dynamic/host";
import { ProcessRuntime } from "./fronts/dynamic/processRuntime";
import type { Handler } from "./lifecycle";
import { bareMetalRental } from "./resources/bareMetalRental/resource";
import { fleetReady } from "./resources/fleet/resource";
import { marketplaceInstance } from "./resources/marketplaceInstance/resource";
import { storageVolume } from "./resources/storageVolume/resource";
import { vmRental } from "./resources/vmRental/resource";
import { volumeAttachment } from "./resources/volumeAttachment/resource";

/** Resource type → handler. */
export const handlers: ReadonlyMap<string, Handler> = new Map(
  [bareMetalRental, vmRental, storageVolume, volumeAttachment, marketplaceInstance, fleetReady].map((handler) => [
    handler.type,
    handler,
  ]),
);

/** One per process: what one resource learns, the others use. */
let runtime = new ProcessRuntime(() => undefined);
let configured: unknown;

/** What the stub in the state loads: a handler as Pulumi's dynamic-provider host calls it. */
export function handler(type: string) {
  const found = handlers.get(type);
  if (!found) throw new Error(`pulumi-gpufleet has no resource ${type}; it has ${[...handlers.keys()].join(", ")}`);
  keepShortLivedYoung();
  return {
    // Synchronous and infallible: the host does not await it for calls that arrive meanwhile.
    configure: async ({ config }: { config: { get(key: string): string | undefined } }) => {
      if (configured !== undefined) return;
      configured = config;
      runtime = new ProcessRuntime((key) => config.get(`gpufleet:${key}`));
    },
    ...hosted(found, () => runtime),
  };
}

/**
 * Keeps V8 from guessing that what the host makes for every call is long-lived. It comes to think so when calls wait, and
 * then collects late what each of them throws away: 27 MB in a refresh of 1,000 rentals.
 */
function keepShortLivedYoung(): void {
  setFlagsFromString("--no-allocation-site-pretenuring");
}
