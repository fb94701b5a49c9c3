export * from "./fronts/sshGreeting";
