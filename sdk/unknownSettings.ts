import * as pulumi from "@pulumi/pulumi";
import { whyEmpty } from "../provider/shared/prices";
import { unknownSettings } from "../provider/shared/settingNames";

/** Refuses a setting that does not exist, or an empty book of prices: a limit that is misspelt, or knows no prices, would be no limit. */
export function refuseUnknownSettings(): void {
  const settings = pulumi.runtime.allConfig();
  const empty = whyEmpty(settings["gpufleet:prices"]);
  const problems = unknownSettings(Object.keys(settings), pulumi.getProject());
  if (empty) problems.push(`gpufleet:prices ${empty}`);
  if (problems.length > 0) throw new pulumi.RunError(problems.join(" "));
}
