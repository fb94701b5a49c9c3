import { isProvider, peakMemory, processesWith } from "../tools/workspace";

const everyMs = 100;

/** The most memory, in MB, that the provider process with this in its environment takes while it is watched. */
export function watchMemory(variable: string): { stop(): number } {
  let peak = 0;
  let pid = 0;
  const timer = setInterval(() => {
    pid = isProvider(pid) ? pid : (processesWith(variable).find(isProvider) ?? 0);
    peak = Math.max(peak, peakMemory(pid));
  }, everyMs);
  return {
    stop() {
      clearInterval(timer);
      return peak;
    },
  };
}
