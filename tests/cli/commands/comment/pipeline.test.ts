import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { composeComment } from "../../../../cli/commands/comment/compose";
import { findPipeline } from "../../../../cli/commands/comment/pipeline";
import { goldenFolder } from "../../../golden/makeGolden";

const now = Date.UTC(2026, 10, 15, 20, 30, 59);
const head = "4f5c9be2d0a1e7b3c6d8f90123456789abcdef01";
const merge = "ffffffffffffffffffffffffffffffffffffffff";

const gitHub = {
  GITHUB_ACTIONS: "true",
  GITHUB_SERVER_URL: "https://github.example",
  GITHUB_REPOSITORY: "team/infra",
  GITHUB_RUN_ID: "77",
  GITHUB_RUN_ATTEMPT: "2",
  GITHUB_SHA: merge,
};

describe("The run that writes a comment", () => {
  const preview = join(goldenFolder, "fleet-up", "preview.json");
  const comment = async (environment: NodeJS.ProcessEnv, format: "markdown" | "json" = "markdown") =>
    (await composeComment({ preview, format, cwd: "/" }, environment, now)).text;
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "gpufleet-pipeline-"));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  test("is linked on GitHub, with the commit that was pushed and the time", async () => {
    const GITHUB_EVENT_PATH = join(folder, "event.json");
    writeFileSync(GITHUB_EVENT_PATH, JSON.stringify({ pull_request: { number: 7, head: { sha: head } } }));
    expect((await comment({ ...gitHub, GITHUB_EVENT_PATH })).split("\n")[3]).toBe(
      `<sub>GPU fleet \`golden/test\` · commit [\`4f5c9be\`](https://github.example/team/infra/commit/${head}) · [run](https://github.example/team/infra/actions/runs/77/attempts/2) · 2026-11-15 20:30 UTC</sub>`,
    );
  });

  test("is linked on GitLab, too", async () => {
    const environment = {
      GITLAB_CI: "true",
      CI_PROJECT_URL: "https://gitlab.example/team/infra",
      CI_JOB_URL: "https://gitlab.example/team/infra/-/jobs/9",
      CI_COMMIT_SHA: head,
    };
    expect((await comment(environment)).split("\n")[3]).toBe(
      `<sub>GPU fleet \`golden/test\` · commit [\`4f5c9be\`](https://gitlab.example/team/infra/-/commit/${head}) · [run](https://gitlab.example/team/infra/-/jobs/9) · 2026-11-15 20:30 UTC</sub>`,
    );
    expect(findPipeline({ ...environment, CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: merge }, now)?.commit).toBe(merge);
  });

  test("is part of the JSON", async () => {
    expect(JSON.parse(await comment(gitHub, "json")).pipeline).toEqual({
      runUrl: "https://github.example/team/infra/actions/runs/77/attempts/2",
      commit: merge,
      commitUrl: `https://github.example/team/infra/commit/${merge}`,
      at: "2026-11-15T20:30:59.000Z",
    });
  });

  test("is not mentioned elsewhere, and only as far as the environment tells of it", async () => {
    expect((await comment({})).split("\n")[3]).toBe("<sub>GPU fleet `golden/test`</sub>");
    expect(
      (await comment({ GITHUB_ACTIONS: "true", GITHUB_EVENT_PATH: join(folder, "none.json") })).split("\n")[3],
    ).toBe("<sub>GPU fleet `golden/test` · 2026-11-15 20:30 UTC</sub>");
  });

  test("cannot put anything into the comment but links, and no password", () => {
    const hostile = {
      GITLAB_CI: "true",
      CI_JOB_URL: "https://user:secret@gitlab.example/a)[x](b?token=secret",
      CI_PROJECT_URL: "javascript:alert(1)",
      CI_COMMIT_SHA: "`</sub>",
    };
    expect(findPipeline(hostile, now)).toEqual({
      runUrl: "https://gitlab.example/a%29[x]%28b",
      commit: undefined,
      commitUrl: undefined,
      at: "2026-11-15T20:30:59.000Z",
    });
  });
});
