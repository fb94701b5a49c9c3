export * from "./count";
export * from "./statusLine";
export * from "./style";
export * from "./table";
