import type { ReadConfig } from "../../../provider/fronts";
import { type SettingName, settingNames } from "../../../provider/shared/settingNames";
import { commandLine } from "../../place";
import { type Finding, ok, warn } from "./finding";

const check = "configuration";

/** Settings that the environment overrides. */
const variables: Partial<Record<SettingName, string>> = {
  baseUrl: "GPUFLEET_BASE_URL",
  v1BaseUrl: "GPUFLEET_V1_BASE_URL",
  apiKey: "GPUFLEET_API_KEY",
  reconcileSeconds: "GPUFLEET_RECONCILE_SECONDS",
  movedFrom: "GPUFLEET_MOVED_FROM",
};

/**
 * The configuration beside that of the last `pulumi up`, by which a refresh and a destroy go: what was set since is not seen by
 * the refresh with which the next `up` begins.
 */
export function lastRunFinding(now: ReadConfig, lastRun: ReadConfig, environment: NodeJS.ProcessEnv): Finding {
  const changed = settingNames.filter((name) => {
    const variable = variables[name];
    const isOverridden = variable !== undefined && Boolean(environment[variable]);
    return !isOverridden && (now(name) || undefined) !== (lastRun(name) || undefined);
  });
  if (changed.length === 0) return ok(check, "as in the last `up`");
  const names = changed.map((name) => `gpufleet:${name}`).join(", ");
  const settable = changed.flatMap((name) => variables[name] ?? []);
  return warn(
    check,
    `changed after the last \`up\`: ${names}. Refresh and destroy do not see that, nor does the refresh of the next \`up\``,
    `Run \`${commandLine("pulumi up --run-program")}\` once${settable.length > 0 ? `, or set ${settable.join(" and ")}` : ""}.`,
  );
}
