export * from "./count";
export * from "./style";
export * from "./table";
