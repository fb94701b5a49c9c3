export * from "./programs";
export * from "./publicKeys";
export * from "./server";
