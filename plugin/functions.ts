import type { PluginFunction } from "../provider/fronts/plugin";
import type { Values } from "../provider/lifecycle";
import { serviceOption } from "../provider/shared/serviceOption";

type Functions = typeof import("../sdk/functions");

/** The functions of the SDK, each as the engine calls it. They are loaded with the first call: most programs make none. */
export const functions: Readonly<Record<string, PluginFunction>> = {
  getBalance: callingPlainly((sdk) => sdk.getBalance),
  getBareMetalRentals: calling((sdk) => sdk.getBareMetalRentals),
  getMarketplaceHistory: callingPlainly((sdk) => sdk.getMarketplaceHistory),
  getMarketplaceInstances: calling((sdk) => sdk.getMarketplaceInstances),
  getMarketplaceMachines: calling((sdk) => sdk.getMarketplaceMachines),
  getRequestCost: calling((sdk) => sdk.getRequestCost),
  getStorageVolumes: calling((sdk) => sdk.getStorageVolumes),
  getVmRentals: calling((sdk) => sdk.getVmRentals),
  requestReservation: calling((sdk) => sdk.requestReservation),
};

/** The arguments are those of the schema, which the engine and the SDKs hold programs to. */
function calling<Args extends object>(
  choose: (sdk: Functions) => (args: Args, options: object) => Promise<object>,
): PluginFunction {
  return async (args, service) => {
    const sdk: Functions = require("../sdk/functions");
    return choose(sdk)(asArguments<Args>(args), { [serviceOption]: service });
  };
}

/** The same for functions without arguments. */
function callingPlainly(choose: (sdk: Functions) => (options: object) => Promise<object>): PluginFunction {
  return calling((sdk) => (_, options) => choose(sdk)(options));
}

function asArguments<Args>(values: Values): Args {
  const args: unknown = values;
  return args as Args;
}
