export * from "./adopt";
export * from "./createOnce";
export * from "./fleetAdvice";
export * from "./ownership";
export * from "./regions";
export * from "./twins";
export * from "./unresolved";
