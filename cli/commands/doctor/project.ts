import { findProject, type Place } from "../../stack";
import { doubtful, type Finding, right, wrong } from "./finding";
import { orError } from "./orError";

export async function findProjectSettings({ cwd }: Place): Promise<{ found: boolean; findings: Finding[] }> {
  const project = await orError(findProject(cwd));
  if (project instanceof Error) {
    return { found: false, findings: [wrong("project", project.message, "Fix the file: it must be YAML.")] };
  }
  if (!project) {
    const advice = "Change into the project's folder, or give it with --cwd. `pulumi new` makes one.";
    return { found: false, findings: [wrong("project", `no Pulumi.yaml in ${cwd} or above`, advice)] };
  }
  return { found: true, findings: [right("project", project.name ?? project.file), refreshFinding(project.refresh)] };
}

function refreshFinding(refresh: string | undefined): Finding {
  const about = "options.refresh";
  if (refresh === "always") return right(about, "always: every up sees what failed or ended by itself");
  return doubtful(
    about,
    refresh === undefined ? "not set" : refresh,
    "Add `options: {refresh: always}` to Pulumi.yaml, or run `pulumi up --refresh`: without it a machine that ended by itself stays in the state.",
  );
}
