import { type Place, runPulumi } from "../../stack";
import { type Finding, right, wrong } from "./finding";

/** The first whose `destroy` has `--run-program`. */
const oldest = [3, 160, 0] as const;
const about = "engine";
const install = "Install Pulumi: https://www.pulumi.com/docs/install/";

export async function findEngine({ cwd }: Place): Promise<Finding> {
  const said = await runPulumi({ cwd }, ["version"]).catch((error: unknown) => error);
  if (typeof said !== "string") return wrong(about, said instanceof Error ? said.message : "no answer", install);
  const version = /(\d+)\.(\d+)\.(\d+)/.exec(said);
  if (!version) return wrong(about, "`pulumi version` does not answer with a version", install);
  const numbers = version.slice(1).map(Number);
  return isAtLeast(numbers, oldest)
    ? right(about, `pulumi ${version[0]}`)
    : wrong(about, `pulumi ${version[0]} is older than ${oldest.join(".")}`, install);
}

function isAtLeast(version: readonly number[], least: readonly number[]): boolean {
  const differing = least.findIndex((number, index) => version[index] !== number);
  return differing < 0 || (version[differing] ?? 0) > (least[differing] ?? 0);
}
