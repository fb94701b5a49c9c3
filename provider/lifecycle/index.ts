export * from "./context";
export * from "./cost";
export * from "./creation";
export * from "./crud";
export * from "./define";
export * from "./definition";
export * from "./model";
export * from "./waiting";
