export * from "./choices";
export * from "./exitCodes";
export * from "./grace";
export * from "./numbers";
export * from "./prices";
export * from "./stack";
