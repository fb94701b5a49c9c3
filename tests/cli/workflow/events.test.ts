import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scriptWith, workflowNamed, workflows } from "./files";
import { droppedFrom, type GitHubEvent, type PlayedJob, play } from "./play";

const secrets = { GPUFLEET_API_KEY: "key", PULUMI_ACCESS_TOKEN: "token" };
const repository = { default_branch: "main" };
const override = "gpu-fleet-allow-data-loss";

interface PullRequest {
  /** The labels it has after the event. */
  labels?: string[];
  /** The labels it has when the run comes to ask, if that is later. */
  labelsNow?: string[];
  /** The label that was added or removed. */
  label?: string;
  from?: string | null;
  secrets?: Record<string, string>;
}

const known = new Map<string, Record<string, string>>();

/** What the step that reads the labels puts out: the script itself is run, with a GitHub that has these. */
function readLabels(labels: readonly string[]): Record<string, string> {
  const text = labels.join("\n");
  const before = known.get(text);
  if (before) return before;
  const folder = mkdtempSync(join(tmpdir(), "gpufleet-labels-"));
  const output = join(folder, "output");
  const script = `gh() { [ "$3" = repos/team/infra/issues/7/labels ] && printf '%s\\n' "$LABELS"; }\n${scriptWith("gpu-fleet-run", "$NUMBER/labels")}`;
  const env = {
    PATH: process.env["PATH"],
    GITHUB_REPOSITORY: "team/infra",
    NUMBER: "7",
    LABELS: text,
    GITHUB_OUTPUT: output,
  };
  expect(spawnSync("bash", ["-e", "-o", "pipefail", "-c", script], { env })).toMatchObject({ status: 0 });
  const outputs = Object.fromEntries([readFileSync(output, "utf8").trim().split("=")]);
  rmSync(folder, { recursive: true });
  known.set(text, outputs);
  return outputs;
}

/** GitHub sends two events for whatever happens to a pull request. The secrets are always there for the second. */
function pullRequest(
  action: string,
  { labels = [], labelsNow = labels, label, from = "team/infra", ...more }: PullRequest = {},
): PlayedJob[] {
  const payload = {
    action,
    repository,
    label: label === undefined ? undefined : { name: label },
    pull_request: {
      number: 7,
      labels: labels.map((name) => ({ name })),
      head: { repo: from === null ? null : { full_name: from } },
    },
  };
  const event = { action, payload, outputs: { labels: readLabels(labelsNow) } };
  return [
    ...play({ ...event, name: "pull_request", ref: "refs/pull/7/merge", secrets: more.secrets ?? secrets }),
    ...play({ ...event, name: "pull_request_target", ref: "refs/heads/main", secrets }),
  ];
}

const other = (name: GitHubEvent["name"], more: Partial<GitHubEvent> = {}): PlayedJob[] =>
  play({ name, ref: "refs/heads/main", secrets, ...more, payload: { repository, ...more.payload } });
const schedule = (cron: string, vars: Record<string, string> = {}) =>
  other("schedule", { payload: { schedule: cron }, vars });
const hourly = () => schedule("17 * * * *");
const nightly = (vars: Record<string, string> = {}) => schedule("43 20 * * *", vars);
const push = (branch = "main") => other("push", { ref: `refs/heads/${branch}` });
const dispatch = (workflow: string, ref = "refs/heads/main") => other("workflow_dispatch", { workflow, ref });

const running = (jobs: readonly PlayedJob[]) => jobs.filter(({ runs }) => runs).map(({ name }) => name);
const doing = (jobs: readonly PlayedJob[]) => jobs.flatMap(({ action }) => (action ? [action["do"]] : []));
const preview = (jobs: readonly PlayedJob[]) => jobs.find(({ name }) => name === "gpu-fleet-preview.preview");

describe("A pull request", () => {
  test.each(["opened", "synchronize", "reopened", "edited"])(
    "that is %s is previewed, and nothing else happens",
    (action) => {
      const jobs = pullRequest(action);
      expect(running(jobs)).toEqual(["gpu-fleet-preview.preview"]);
      expect(preview(jobs)).toMatchObject({
        group: "gpu-fleet-preview-7",
        cancels: true,
        action: { do: "preview", stack: "dev", "forbid-data-loss": true, "package-manager": "npm" },
      });
    },
  );

  test.each(["closed", "assigned"])("that is %s starts nothing", (action) => {
    expect(pullRequest(action)).toEqual([]);
  });

  test.each(["labeled", "unlabeled"])(
    "is previewed again when it is %s, whatever the label: a skipped job counts as passed",
    (action) => {
      for (const label of ["bug", "gpu-fleet", override.toUpperCase(), "gpu-fleet-destroy", ""]) {
        const jobs = pullRequest(action, { label, labels: action === "labeled" ? [label] : [] });
        expect(preview(jobs)).toMatchObject({ runs: true, action: { do: "preview" } });
      }
    },
  );

  test("may lose data from when it gets the label for that until it loses it, and by no other label", () => {
    const forbids = (jobs: PlayedJob[]) => preview(jobs)?.action?.["forbid-data-loss"];
    expect(forbids(pullRequest("labeled", { label: override, labels: ["bug", override] }))).toBe(false);
    expect(forbids(pullRequest("synchronize", { labels: [override] }))).toBe(false);
    expect(forbids(pullRequest("unlabeled", { label: override, labels: ["bug"] }))).toBe(true);
    expect(forbids(pullRequest("labeled", { label: "bug", labels: ["bug"] }))).toBe(true);
    expect(forbids(pullRequest("labeled", { label: "x", labels: [`${override}-not`, "gpu-fleet-destroy"] }))).toBe(
      true,
    );
  });

  test("goes by the labels of now where an old run is repeated", () => {
    const again = { label: override, labels: [override], labelsNow: [] };
    expect(preview(pullRequest("labeled", again))?.action).toMatchObject({ "forbid-data-loss": true });
  });

  test("has no job in its workflow that can be skipped", () => {
    const { jobs } = workflowNamed("gpu-fleet-preview");
    expect(Object.values(jobs).filter((job) => job.if !== undefined || job.needs !== undefined)).toEqual([]);
  });

  test.each<[string, PullRequest]>([
    ["a fork", { from: "stranger/infra", secrets: {} }],
    ["a fork that is deleted", { from: null, secrets: {} }],
    ["a bot without secrets", { secrets: {} }],
  ])("of %s is refused, and none of its code is run", (_, more) => {
    for (const action of ["opened", "synchronize", "labeled"]) {
      const played = preview(pullRequest(action, more));
      expect(played).toMatchObject({ runs: true, steps: ["Refuse to run without secrets"] });
      expect(played?.action).toBeUndefined();
    }
  });

  test("destroys the stack with the label for that, after it is confirmed, with the code of the default branch", () => {
    const jobs = pullRequest("labeled", { label: "gpu-fleet-destroy", from: "stranger/infra" });
    expect(running(jobs)).toEqual([
      "gpu-fleet-preview.preview",
      "gpu-fleet-destroy.confirm",
      "gpu-fleet-destroy.labelled",
    ]);
    expect(jobs.find(({ name }) => name === "gpu-fleet-destroy.labelled")).toMatchObject({
      action: { do: "destroy" },
      ref: "main",
      group: "gpu-fleet-destroy-dev",
      cancels: false,
    });
  });

  test("destroys nothing with another label, nor when the label is taken away or was there before", () => {
    expect(doing(pullRequest("labeled", { label: "bug", labels: ["gpu-fleet-destroy"] }))).toEqual(["preview"]);
    expect(doing(pullRequest("unlabeled", { label: "gpu-fleet-destroy" }))).toEqual(["preview"]);
    expect(doing(pullRequest("synchronize", { labels: ["gpu-fleet-destroy"] }))).toEqual(["preview"]);
  });
});

describe("A merge", () => {
  test("is applied, and switches schedules on again", () => {
    const jobs = push();
    expect(running(jobs)).toEqual(["gpu-fleet-up.up", "gpu-fleet-up.schedules"]);
    expect(doing(jobs)).toEqual(["up"]);
    expect(jobs[0]).toMatchObject({ cancels: false, ref: "" });
  });

  test("to another branch is not", () => {
    expect(push("feature")).toEqual([]);
  });
});

describe("A schedule", () => {
  test("watches every hour", () => {
    expect(running(hourly())).toEqual(["gpu-fleet-watch.watch", "gpu-fleet-watch.schedules"]);
    expect(doing(hourly())).toEqual(["watch"]);
  });

  test("destroys every evening only where a variable says so", () => {
    expect(running(nightly())).toEqual([]);
    expect(running(nightly({ GPU_FLEET_DESTROY_NIGHTLY: "false" }))).toEqual([]);
    expect(doing(nightly({ GPU_FLEET_DESTROY_NIGHTLY: "true" }))).toEqual(["destroy"]);
  });

  test("saves what it has reported even where it fails", () => {
    const [watch] = hourly();
    expect(watch?.steps.at(-1)).toBe("actions/cache/save@v4");
    const refused = other("schedule", { payload: { schedule: "17 * * * *" }, secrets: {} })[0];
    expect(refused?.steps).toEqual(["Refuse to run without secrets", "actions/cache/save@v4"]);
  });
});

describe("By hand", () => {
  test.each([
    ["gpu-fleet-up", "up"],
    ["gpu-fleet-watch", "watch"],
    ["gpu-fleet-destroy", "destroy"],
  ])("%s does %s", (workflow, what) => {
    expect(doing(dispatch(workflow))).toEqual([what]);
  });

  test("nothing else can be started", () => {
    const startable = [...workflows].filter(([, { on }]) => "workflow_dispatch" in on).map(([name]) => name);
    expect(startable.sort()).toEqual(["gpu-fleet-destroy", "gpu-fleet-up", "gpu-fleet-watch"]);
  });
});

describe("A queued up", () => {
  const evening = { GPU_FLEET_DESTROY_NIGHTLY: "true" };
  const everythingElse = () => [
    ...hourly(),
    ...hourly(),
    ...hourly(),
    ...nightly(evening),
    ...dispatch("gpu-fleet-destroy"),
    ...pullRequest("labeled", { label: "gpu-fleet-destroy" }),
    ...pullRequest("synchronize"),
    ...dispatch("gpu-fleet-up", "refs/heads/feature"),
    ...dispatch("gpu-fleet-up", "refs/heads/feature"),
    ...dispatch("gpu-fleet-up", "refs/heads/feature"),
  ];

  test("is dropped by nothing but a newer one of the same branch, which contains it", () => {
    const waiting = [...push(), ...push()];
    const dropped = droppedFrom([...waiting, ...everythingElse()]);
    // Of the three hourly ones, the three destroys, and the three of the other branch, one each.
    expect(dropped.sort()).toEqual(["gpu-fleet-destroy.destroy", "gpu-fleet-up.up", "gpu-fleet-watch.watch"]);
    expect(
      droppedFrom([...waiting, ...everythingElse().filter(({ group }) => !group?.includes("feature"))]),
    ).not.toContain("gpu-fleet-up.up");
    expect(droppedFrom([...waiting, ...push()])).toEqual(["gpu-fleet-up.up"]);
  });

  test("and nothing that changes a stack is ever cancelled", () => {
    const jobs = [...push(), ...everythingElse()].filter(({ action }) => action && action["do"] !== "preview");
    expect(jobs.filter(({ cancels }) => cancels !== false)).toEqual([]);
  });
});

test("What is configured reaches the action", () => {
  const vars = {
    GPU_FLEET_STACK: "acme/fleet/prod",
    GPU_FLEET_FOLDER: "infra",
    GPU_FLEET_PACKAGE_MANAGER: "pnpm",
    GPU_FLEET_MAX_COST_PER_HOUR: "100",
    GPU_FLEET_PRICES: '{"h100": 2.49}',
    GPU_FLEET_MIN_BALANCE_HOURS: "48",
    GPU_FLEET_WEBHOOK_FORMAT: "slack",
  };
  const [job] = schedule("17 * * * *", vars);
  expect(job?.action).toMatchObject({
    stack: "acme/fleet/prod",
    "working-directory": "infra",
    "package-manager": "pnpm",
    "max-cost-per-hour": "100",
    prices: '{"h100": 2.49}',
    "min-balance-hours": "48",
    "webhook-format": "slack",
  });
});
