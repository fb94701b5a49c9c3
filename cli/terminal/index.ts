export * from "./style";
export * from "./table";
