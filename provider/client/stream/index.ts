export * from "./chatStream";
export * from "./eventStream";
