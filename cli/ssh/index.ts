export * from "./choose";
export * from "./machines";
export * from "./stackMachines";
