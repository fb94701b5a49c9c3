import * as pulumi from "@pulumi/pulumi";
import { settingsNamespace, unknownSettings } from "../provider/shared/settingNames";

/** Refuses a setting that does not exist: a limit that is misspelt would be no limit. */
export function refuseUnknownSettings(): void {
  // A project of this name has its own settings there.
  if (pulumi.getProject() === settingsNamespace) return;
  const problems = unknownSettings(Object.keys(pulumi.runtime.allConfig()));
  if (problems.length > 0) throw new pulumi.RunError(problems.join(" "));
}
