export * from "../options/stack";
export * from "./activity";
export * from "./pulumi";
export * from "./runtime";
export * from "./secrets";
export * from "./stack";
export * from "./state";
