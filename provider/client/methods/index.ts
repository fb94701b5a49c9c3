export * from "./discoveredMethods";
export * from "./endMethods";
export * from "./inference";
export * from "./listMethods";
export * from "./serviceTime";
export * from "./tableMethods";
