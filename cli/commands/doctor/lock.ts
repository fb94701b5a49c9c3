import { commandLine } from "../../place";
import { type Activity, describeLock } from "../../stack";
import { type Finding, fail, ok, unknown, warn } from "./finding";

const check = "lock";

/** In this order: a lock that is released while its run goes on leaves two runs on one state. */
const steps = () =>
  [commandLine("pulumi cancel"), commandLine("gpufleet recover"), commandLine("pulumi up")]
    .map((line) => `\`${line}\``)
    .join(", then ");

/** Whether a run has locked the stack, and how to go on if it was killed. */
export function lockFinding(activity: Activity): Finding {
  switch (activity.kind) {
    case "idle":
      return ok(check, "no run is in progress");
    case "abandoned":
      return fail(
        check,
        `left by a run that was killed: ${activity.locks.map(describeLock).join(", ")}`,
        `That process has ended. Run, in this order: ${steps()}.`,
      );
    case "busy":
      return activity.isCertain
        ? unknown(check, activity.reason)
        : warn(
            check,
            activity.reason.replace(/\. .*$/s, ""),
            `Find out whether that run is over. If it is, run, in this order: ${steps()}.`,
          );
  }
}
