export * from "./adopt";
export * from "./createOnce";
export * from "./fleetAdvice";
export * from "./held";
export * from "./ownership";
export * from "./regions";
export * from "./twins";
export * from "./unresolved";
