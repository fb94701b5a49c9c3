export { namesOfOtherStacks } from "./exportedState";
export * from "./host";
export * from "./provider";
