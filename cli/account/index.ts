export * from "./balance";
export * from "./gaps";
export * from "./holdings";
export * from "./lookUpMachine";
export * from "./situation";
export * from "./stacks";
export * from "./summarizeCost";
export * from "./whereabouts";
