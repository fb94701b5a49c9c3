import * as pulumi from "@pulumi/pulumi";
import { unknownSettings } from "../provider/shared/settingNames";

/** Refuses a setting that does not exist: a limit that is misspelt would be no limit. */
export function refuseUnknownSettings(): void {
  const problems = unknownSettings(Object.keys(pulumi.runtime.allConfig()), pulumi.getProject());
  if (problems.length > 0) throw new pulumi.RunError(problems.join(" "));
}
