export * from "./fronts/configuration";
