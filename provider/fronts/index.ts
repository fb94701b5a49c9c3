export * from "./configuration";
export * from "./dynamic";
export * from "./gpuProbe";
export * from "./runtime";
export * from "./sshGreeting";
