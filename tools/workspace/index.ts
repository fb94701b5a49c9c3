/** Pulumi projects of their own, driven by the real engine: for tests and the benchmark. */
export type { Deployment, Preview, StateResource, Summary } from "./answers";
export { parseDeployment, parseSummary } from "./answers";
export { isProvider, peakMemory, processesWith } from "./processes";
export { endProcesses, type Run, type RunningPulumi, startPulumi } from "./pulumiProcess";
export { waitUntil } from "./waitUntil";
export { Workspace, type WorkspaceOptions } from "./workspace";
