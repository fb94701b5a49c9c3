/** Plays an event on the workflows, as GitHub would: which of them start, which jobs run, and what they do. */
import { type Contexts, interpolate, isMet } from "./expression";
import { type Job, type Step, type Workflow, workflowNamed, workflows } from "./files";

export interface GitHubEvent {
  name: "pull_request" | "pull_request_target" | "push" | "schedule" | "workflow_dispatch";
  /** Of pull requests. */
  action?: string;
  /** `github.event` */
  payload: Readonly<Record<string, unknown>>;
  /** The workflow that is dispatched. */
  workflow?: string;
  ref: string;
  vars?: Readonly<Record<string, string>>;
  secrets?: Readonly<Record<string, string>>;
  /** What the steps with an id put out, for where it matters. */
  outputs?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export interface PlayedJob {
  /** `gpu-fleet-up.up` */
  name: string;
  runs: boolean;
  /** Its group, if it has one, and whether it cancels what runs in there. */
  group?: string;
  cancels?: boolean;
  /** What the action is told, if the job comes to it. */
  action?: Readonly<Record<string, unknown>>;
  /** What is checked out; the commit of the event if it is empty. */
  ref?: unknown;
  /** The steps that run. */
  steps: string[];
}

export function play(event: GitHubEvent): PlayedJob[] {
  return [...workflows].flatMap(([name, workflow]) =>
    starts(name, workflow, event) ? playJobs(name, workflow, event) : [],
  );
}

function starts(name: string, { on }: Workflow, event: GitHubEvent): boolean {
  switch (event.name) {
    case "pull_request":
    case "pull_request_target":
      return on[event.name]?.types.includes(event.action ?? "") ?? false;
    case "push":
      return on.push?.branches.some((branch) => event.ref === `refs/heads/${branch}`) ?? false;
    case "schedule":
      return on.schedule?.some(({ cron }) => cron === event.payload["schedule"]) ?? false;
    case "workflow_dispatch":
      return event.workflow === name && "workflow_dispatch" in on;
  }
}

const repository = "team/infra";

function playJobs(name: string, { jobs }: Workflow, event: GitHubEvent): PlayedJob[] {
  const { vars = {} } = event;
  const github = {
    event_name: event.name,
    event: event.payload,
    repository,
    ref: event.ref,
    actor: "someone",
    token: "a-token",
    run_id: 1,
    run_attempt: 1,
    workspace: "/work",
  };
  const contexts = { github, vars };
  const ran = new Map<string, boolean>();
  return Object.entries(jobs).map(([id, job]) => {
    // GitHub skips a job whose need was skipped.
    const hasNeeds = job.needs === undefined || ran.get(job.needs) === true;
    const runs = isMet(job.if, contexts, hasNeeds);
    ran.set(id, runs);
    const played: PlayedJob = { name: `${name}.${id}`, runs, steps: [] };
    if (!runs) return played;
    if (job.concurrency) {
      played.group = String(interpolate(job.concurrency.group, contexts));
      played.cancels = job.concurrency["cancel-in-progress"];
    }
    return { ...played, ...playSteps(job, contexts, event) };
  });
}

/** The steps of the job, or of the one job of the workflow that it calls. */
function playSteps(
  job: Job,
  contexts: Contexts,
  { secrets = {}, outputs = {} }: GitHubEvent,
): Partial<PlayedJob> & { steps: string[] } {
  const called = job.uses === undefined ? undefined : workflowNamed(job.uses.replace(/^.*\/(.*)\.yml$/, "$1"));
  const [steps, jobEnv, inner] = called ? inside(called, job, contexts) : [job.steps ?? [], job.env ?? {}, contexts];
  const known = job.secrets === "inherit" ? secrets : {};
  const env = evaluateAll(jobEnv, { ...inner, secrets: known }, String);
  const outcome: Partial<PlayedJob> & { steps: string[] } = { steps: [] };
  let succeeded = true;
  const done: Record<string, unknown> = {};
  for (const step of steps) {
    const stepContexts = { ...inner, env, steps: { ...done } };
    if (!isMet(step.if, stepContexts, succeeded)) continue;
    outcome.steps.push(step.name ?? step.uses ?? "run");
    if (step.name?.startsWith("Refuse")) succeeded = false;
    const inputs = evaluateAll(step.with ?? {}, stepContexts);
    // Whatever a step is told must be something that GitHub knows there.
    evaluateAll(step.env ?? {}, { ...stepContexts, secrets: known });
    if (step.id !== undefined) done[step.id] = { outputs: outputs[step.id] ?? {} };
    if (isAction(step)) outcome.action = inputs;
    if (step.uses?.startsWith("actions/checkout@")) outcome.ref = inputs["ref"];
  }
  return outcome;
}

function isAction({ uses }: Step): boolean {
  return uses === "./.gpu-fleet-action";
}

function inside(called: Workflow, job: Job, contexts: Contexts): [Step[], Readonly<Record<string, unknown>>, Contexts] {
  const declared = called.on.workflow_call?.inputs ?? {};
  const given = evaluateAll(job.with ?? {}, contexts);
  const defaults = Object.entries(declared).map(([name, input]) => [name, input.default ?? null]);
  const inputs = { ...Object.fromEntries(defaults), ...given };
  const [only] = Object.values(called.jobs);
  return [only?.steps ?? [], only?.env ?? {}, { ...contexts, inputs }];
}

function evaluateAll(
  settings: Readonly<Record<string, unknown>>,
  contexts: Contexts,
  convert: (value: unknown) => unknown = (value) => value,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(settings).map(([key, value]) => [key, convert(interpolate(value, contexts))]),
  );
}

/**
 * The queues of GitHub: in a group one job runs and one waits. Where another one comes, the one that waits is dropped. Gives the names of
 * the dropped, while nothing that runs comes to an end.
 */
export function droppedFrom(jobs: readonly PlayedJob[]): string[] {
  const running = new Set<string>();
  const waiting = new Map<string, PlayedJob>();
  const dropped: string[] = [];
  for (const job of jobs.filter(({ runs }) => runs)) {
    if (job.group === undefined) continue;
    if (!running.has(job.group)) running.add(job.group);
    else {
      const replaced = waiting.get(job.group);
      if (replaced) dropped.push(replaced.name);
      waiting.set(job.group, job);
    }
  }
  return dropped;
}
