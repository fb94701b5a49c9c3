import { readFileSync } from "node:fs";
import { z } from "zod";
import { cleanText } from "../../../provider/shared/cleanText";

/** A service with pull requests that a pipeline can comment on. */
interface Forge {
  name: string;
  /** The comments of the pull request; `page` counts from 1. */
  list(page: number): Promise<{ id: number; body: string }[]>;
  create(body: string): Promise<void>;
  update(id: number, body: string): Promise<void>;
}

const perPage = 100;
/** Far more than any pull request has. */
const mostPages = 50;

/** Posts the comment, or updates the one with the same marker. Says which it did. */
export async function postComment(body: string, environment: NodeJS.ProcessEnv): Promise<string> {
  const forge = findForge(environment);
  const [marker = ""] = body.split("\n", 1);
  const earlier = await findEarlier(forge, marker);
  if (earlier === undefined) await forge.create(body);
  else await forge.update(earlier, body);
  return `${earlier === undefined ? "commented on" : "updated the comment on"} ${forge.name}`;
}

async function findEarlier(forge: Forge, marker: string): Promise<number | undefined> {
  for (let page = 1; page <= mostPages; page++) {
    const comments = await forge.list(page);
    const found = comments.find((comment) => comment.body.startsWith(marker));
    if (found) return found.id;
    if (comments.length < perPage) return undefined;
  }
  return undefined;
}

function findForge(environment: NodeJS.ProcessEnv): Forge {
  if (environment["GITHUB_ACTIONS"]) return gitHub(environment);
  if (environment["GITLAB_CI"]) return gitLab(environment);
  throw new Error("--post works only in GitHub Actions and GitLab CI");
}

const comments = z
  .array(z.looseObject({ id: z.number(), body: z.string().nullish() }))
  .transform((list) => list.map(({ id, body }) => ({ id, body: body ?? "" })));

function gitHub(environment: NodeJS.ProcessEnv): Forge {
  const token = need(environment, "GITHUB_TOKEN", "set it from github.token in the step's env");
  const api = environment["GITHUB_API_URL"] ?? "https://api.github.com";
  const repository = need(environment, "GITHUB_REPOSITORY");
  const number = pullRequestIn(need(environment, "GITHUB_EVENT_PATH"));
  const issues = `${api}/repos/${repository}/issues`;
  const headers = { authorization: `Bearer ${token}`, accept: "application/vnd.github+json" };
  const send = (method: string, url: string, body?: string) => request(method, url, headers, token, body);
  return {
    name: `pull request ${number}`,
    list: async (page) =>
      comments.parse(await send("GET", `${issues}/${number}/comments?per_page=${perPage}&page=${page}`)),
    create: async (body) => void (await send("POST", `${issues}/${number}/comments`, body)),
    update: async (id, body) => void (await send("PATCH", `${issues}/comments/${id}`, body)),
  };
}

function gitLab(environment: NodeJS.ProcessEnv): Forge {
  const token = need(environment, "GITLAB_TOKEN", "create a project access token with the scope api");
  const api = need(environment, "CI_API_V4_URL");
  const project = need(environment, "CI_PROJECT_ID");
  const number = need(environment, "CI_MERGE_REQUEST_IID", "run the job in merge request pipelines");
  const notes = `${api}/projects/${encodeURIComponent(project)}/merge_requests/${encodeURIComponent(number)}/notes`;
  const send = (method: string, url: string, body?: string) =>
    request(method, url, { "private-token": token }, token, body);
  return {
    name: `merge request ${number}`,
    list: async (page) => comments.parse(await send("GET", `${notes}?per_page=${perPage}&page=${page}`)),
    create: async (body) => void (await send("POST", notes, body)),
    update: async (id, body) => void (await send("PUT", `${notes}/${id}`, body)),
  };
}

const event = z.looseObject({ pull_request: z.looseObject({ number: z.number() }) });

function pullRequestIn(file: string): number {
  const parsed = event.safeParse(JSON.parse(readFileSync(file, "utf8")));
  if (parsed.success) return parsed.data.pull_request.number;
  throw new Error("--post needs a pull request: run it on the event pull_request");
}

function need(environment: NodeJS.ProcessEnv, name: string, advice?: string): string {
  const value = environment[name];
  if (value) return value;
  throw new Error(`--post needs ${name}${advice ? `: ${advice}` : ""}`);
}

const timeoutMs = 30_000;

async function request(
  method: string,
  url: string,
  headers: Record<string, string>,
  token: string,
  body: string | undefined,
): Promise<unknown> {
  const answer = await fetch(url, {
    method,
    // A redirect could take the token elsewhere.
    redirect: "error",
    signal: AbortSignal.timeout(timeoutMs),
    headers: { ...headers, "user-agent": "pulumi-gpufleet", "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify({ body }) }),
  });
  const text = await answer.text();
  if (answer.ok) return JSON.parse(text);
  const reason = cleanText(text, { secrets: [token], max: 300 });
  throw new Error(`${method} ${new URL(url).pathname} failed with ${answer.status}: ${reason}`);
}
