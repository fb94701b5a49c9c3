import type { Place } from "../../place";
import { runPulumi } from "../../stack";
import { type Finding, fail, ok } from "./finding";

/** The first whose `destroy` has `--run-program`. */
const oldest = [3, 160, 0] as const;
const check = "engine";
const install = "Install Pulumi: https://www.pulumi.com/docs/install/";

export async function findEngine({ cwd }: Place): Promise<Finding> {
  const said = await runPulumi({ cwd }, ["version"]).catch((error: unknown) => error);
  if (typeof said !== "string") return fail(check, said instanceof Error ? said.message : "no reply", install);
  const version = /(\d+)\.(\d+)\.(\d+)/.exec(said);
  if (!version) return fail(check, "`pulumi version` did not print a version", install);
  const numbers = version.slice(1).map(Number);
  return isAtLeast(numbers, oldest)
    ? ok(check, `pulumi ${version[0]}`)
    : fail(check, `pulumi ${version[0]} is older than ${oldest.join(".")}`, install);
}

function isAtLeast(version: readonly number[], least: readonly number[]): boolean {
  const differing = least.findIndex((number, index) => version[index] !== number);
  return differing < 0 || (version[differing] ?? 0) > (least[differing] ?? 0);
}
