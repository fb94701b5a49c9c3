export * from "./distinct";
export * from "./page";
export * from "./pages";
export * from "./readItems";
export * from "./sendList";
