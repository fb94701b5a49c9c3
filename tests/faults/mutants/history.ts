import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../../tools/bootstrap/paths";

/** More than that came for other reasons. */
const fewTests = 6;

/**
 * The tests of the commit that has brought a bug in, by the bug's name: they were written for it, or for what it breaks, and are the
 * likeliest to notice it. Where the history does not tell, nothing is lost but time.
 */
export function testsFromHistory(): (bug: string) => readonly string[] {
  const commits = commitsOfBugs();
  return (bug) => {
    const commit = commits.get(bug);
    const tests = commit === undefined ? [] : testsOf(commit);
    return tests.length > fewTests ? [] : tests;
  };
}

/** The oldest commit with each name. */
function commitsOfBugs(): Map<string, string> {
  const file = "tests/faults/mutants/plantedBugs.ts";
  const found = new Map<string, string>();
  let commit = "";
  // From the newest to the oldest.
  for (const line of git("log", "--follow", "--patch", "--format=commit %H", "--", file).split("\n")) {
    commit = /^commit ([0-9a-f]{40})$/.exec(line)?.[1] ?? commit;
    const name = /^\+ *name: "(.*)",$/.exec(line)?.[1];
    if (name !== undefined) found.set(name.replaceAll('\\"', '"'), commit);
  }
  return found;
}

function testsOf(commit: string): string[] {
  const files = git("show", "--name-only", "--format=", commit).split("\n");
  const isTest = (file: string) => /^tests\/(?!engine\/|faults\/(?!numbered\/)).*\.test\.ts$/.test(file);
  return files.filter((file) => isTest(file) && existsSync(join(root, file)));
}

function git(...args: string[]): string {
  return execFileSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
}
