export * from "./names";
export * from "./write";
