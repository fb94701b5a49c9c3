import type { Place } from "../../place";
import { runPulumi } from "../../stack";
import { type Finding, fail, ok } from "./finding";
import { isAtLeast, readVersion } from "./versions";

/** The first whose `destroy` has `--run-program`. */
const oldest = [3, 160, 0] as const;
const check = "engine";
const install = "Install Pulumi: https://www.pulumi.com/docs/install/";

export async function findEngine({ cwd }: Place): Promise<Finding> {
  const said = await runPulumi({ cwd }, ["version"]).catch((error: unknown) => error);
  if (typeof said !== "string") return fail(check, said instanceof Error ? said.message : "no reply", install);
  const version = readVersion(said);
  if (!version) return fail(check, "`pulumi version` did not print a version", install);
  return isAtLeast(version, oldest)
    ? ok(check, `pulumi ${version.join(".")}`)
    : fail(check, `pulumi ${version.join(".")} is older than ${oldest.join(".")}`, install);
}
