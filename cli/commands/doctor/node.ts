import { type Finding, fail, ok } from "./finding";
import { isAtLeast, readVersion } from "./versions";

/** As package.json has it in `engines`. */
const oldest = [20, 18, 1] as const;

export function findNode(version = process.versions.node): Finding {
  return isAtLeast(readVersion(version) ?? [], oldest)
    ? ok("node", `Node ${version}`)
    : fail("node", `Node ${version} is older than ${oldest.join(".")}`, "Install Node: https://nodejs.org/en/download");
}
