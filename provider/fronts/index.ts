export { sendable } from "./answers";
export * from "./configuration";
export * from "./dynamic";
export * from "./gpuProbe";
export * from "./providerInputs";
export { namesOfOtherStacks } from "./pulumiCommand";
export * from "./runtime";
export * from "./sshGreeting";
