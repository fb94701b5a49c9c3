export * from "./check";
export * from "./create";
export * from "./dataLoss";
export * from "./delete";
export * from "./diff";
export * from "./operation";
export * from "./read";
export * from "./update";
