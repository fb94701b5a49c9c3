export * from "./configuration";
export * from "./dynamic";
export * from "./runtime";
export * from "./sshGreeting";
