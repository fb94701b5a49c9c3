export * from "./configuration";
export * from "./dynamic";
export { namesOfOtherStacks } from "./exportedState";
export * from "./gpuProbe";
export * from "./providerInputs";
export * from "./runtime";
export * from "./sshGreeting";
