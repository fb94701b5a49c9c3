import * as pulumi from "@pulumi/pulumi";
import { settingNames } from "../provider/shared/settingNames";
import { nearest } from "../provider/shared/spelling";

const namespace = "gpufleet";

/** Refuses a setting that does not exist: a limit that is misspelt would be no limit. */
export function refuseUnknownSettings(): void {
  // A project of this name has its own settings there.
  if (pulumi.getProject() === namespace) return;
  const problems = unknownSettings(Object.keys(pulumi.runtime.allConfig()));
  if (problems.length > 0) throw new pulumi.RunError(problems.join(" "));
}

/** What is wrong with the names of these settings. */
export function unknownSettings(keys: readonly string[]): string[] {
  const known: readonly string[] = settingNames;
  return keys
    .filter((key) => key.startsWith(`${namespace}:`))
    .map((key) => key.slice(namespace.length + 1))
    .filter((name) => !known.includes(name))
    .map((name) => {
      const guess = nearest(name, known);
      const advice = guess ? `Did you mean ${namespace}:${guess}?` : `Available: ${known.join(", ")}.`;
      return `The setting ${namespace}:${name} does not exist. ${advice} Remove it with \`pulumi config rm ${namespace}:${name}\`.`;
    });
}
