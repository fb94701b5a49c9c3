export * from "./destroy";
export * from "./find";
export * from "./row";
