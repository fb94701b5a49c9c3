import { commandLine, type Place } from "../../place";
import { findProject, type Project } from "../../stack";
import { type Finding, fail, ok, warn } from "./finding";
import { orError } from "./orError";

export async function findProjectSettings({
  cwd,
}: Place): Promise<{ found: Project | undefined; findings: Finding[] }> {
  const project = await orError(findProject(cwd));
  if (project instanceof Error) {
    return { found: undefined, findings: [fail("project", project.message, "Fix the file: it must be YAML.")] };
  }
  if (!project) {
    const advice = "Change to the project's folder, or pass it with --cwd. `pulumi new` creates a project.";
    return { found: undefined, findings: [fail("project", `no Pulumi.yaml in ${cwd} or above`, advice)] };
  }
  return { found: project, findings: [ok("project", project.name ?? project.file), refreshFinding(project.refresh)] };
}

function refreshFinding(refresh: string | undefined): Finding {
  const check = "options.refresh";
  if (refresh === "always") return ok(check, "always: every `up` notices machines that failed or ended");
  return warn(
    check,
    refresh === undefined ? "not set" : refresh,
    `Add \`options: {refresh: always}\` to Pulumi.yaml, or run \`${commandLine("pulumi up --refresh")}\`: otherwise a machine that ended by itself stays in the state.`,
  );
}
