export * from "./adopt";
export * from "./createOnce";
export * from "./ownership";
export * from "./regions";
export * from "./unresolved";
