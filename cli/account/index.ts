export * from "./balance";
export * from "./holdings";
export * from "./lookUpMachine";
export * from "./situation";
export * from "./summarizeCost";
