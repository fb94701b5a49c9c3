export * from "./liveBlock";
export * from "./output";
export * from "./statusLine";
export * from "./stopSignal";
export * from "./style";
export * from "./table";
export * from "./width";
