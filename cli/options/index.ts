export * from "./choices";
export * from "./exitCodes";
export * from "./numbers";
export * from "./stack";
