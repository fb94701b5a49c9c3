export * from "./destroy";
export * from "./find";
export * from "./kept";
export * from "./row";
