import { readFileSync } from "node:fs";
import { z } from "zod";

/** The run of a pipeline that writes a comment, as far as its environment tells. */
export interface Pipeline {
  /** Where its log is. */
  runUrl: string | undefined;
  commit: string | undefined;
  commitUrl: string | undefined;
  /** When the comment was written. */
  at: string;
}

/** Undefined outside of GitHub Actions and GitLab CI. */
export function findPipeline(environment: NodeJS.ProcessEnv, now: number): Pipeline | undefined {
  const facts = environment["GITHUB_ACTIONS"]
    ? inGitHub(environment)
    : environment["GITLAB_CI"]
      ? inGitLab(environment)
      : undefined;
  if (!facts) return undefined;
  const commit = facts.commit !== undefined && /^[0-9a-f]{7,64}$/i.test(facts.commit) ? facts.commit : undefined;
  return {
    runUrl: safeUrl(facts.run),
    commit,
    commitUrl: commit === undefined ? undefined : safeUrl(facts.commits && `${facts.commits}/${commit}`),
    at: new Date(now).toISOString(),
  };
}

interface Facts {
  run: string | undefined;
  commit: string | undefined;
  /** What the address of a commit begins with. */
  commits: string | undefined;
}

function inGitHub(environment: NodeJS.ProcessEnv): Facts {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name, GITHUB_RUN_ID: id } = environment;
  const repository = server && name ? `${server}/${name}` : undefined;
  const attempt = environment["GITHUB_RUN_ATTEMPT"];
  return {
    run: repository && id ? `${repository}/actions/runs/${id}${attempt ? `/attempts/${attempt}` : ""}` : undefined,
    commit: headIn(environment["GITHUB_EVENT_PATH"]) ?? environment["GITHUB_SHA"],
    commits: repository && `${repository}/commit`,
  };
}

const event = z.looseObject({ pull_request: z.looseObject({ head: z.looseObject({ sha: z.string() }) }) });

/** What was pushed: on a pull request, GITHUB_SHA is a merge that nobody has seen. */
function headIn(file: string | undefined): string | undefined {
  if (!file) return undefined;
  try {
    return event.parse(JSON.parse(readFileSync(file, "utf8"))).pull_request.head.sha;
  } catch {
    return undefined;
  }
}

function inGitLab(environment: NodeJS.ProcessEnv): Facts {
  const project = environment["CI_PROJECT_URL"];
  return {
    run: environment["CI_JOB_URL"] || environment["CI_PIPELINE_URL"],
    // Of a pipeline for merged results, CI_COMMIT_SHA is a merge that nobody has seen.
    commit: environment["CI_MERGE_REQUEST_SOURCE_BRANCH_SHA"] || environment["CI_COMMIT_SHA"],
    commits: project && `${project}/-/commit`,
  };
}

/** Without a password, and without anything that would end a link in Markdown. */
function safeUrl(text: string | undefined): string | undefined {
  if (!text || !URL.canParse(text)) return undefined;
  const { protocol, origin, pathname } = new URL(text);
  if (protocol !== "https:" && protocol !== "http:") return undefined;
  return `${origin}${pathname.replace(/[()<>\s]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)}`;
}
