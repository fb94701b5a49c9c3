export * from "./budget";
export * from "./fleet";
export * from "./forecast";
export * from "./limits";
export * from "./sum";
