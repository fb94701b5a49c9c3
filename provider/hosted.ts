export * from "./fronts/dynamic/host";
