/** Only types and what starts the process: everything else is loaded when the engine has its port. */
export type { Construct, FunctionService, PluginFunction, PluginParts } from "./plugin";
export * from "./process";
