export * from "./budget";
export * from "./fleet";
