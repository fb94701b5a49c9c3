import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { postComment } from "../../../../cli/commands/comment/post";

interface Arrived {
  method: string | undefined;
  url: string | undefined;
  token: string | undefined;
  body: unknown;
}

/** GitHub and GitLab, as far as comments go: pages of them, and a place to write to. */
class Forge {
  readonly arrived: Arrived[] = [];
  pages: { id: number; body: string | null }[][] = [[]];
  status = 200;
  readonly #server: Server;

  constructor() {
    this.#server = createServer(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part);
      const text = Buffer.concat(parts).toString();
      const { authorization, "private-token": token } = request.headers;
      this.arrived.push({
        method: request.method,
        url: request.url,
        token: String(authorization ?? token),
        body: text === "" ? undefined : JSON.parse(text),
      });
      const page = Number(new URL(request.url ?? "", "http://x").searchParams.get("page"));
      response.statusCode = this.status;
      response.end(JSON.stringify(request.method === "GET" ? (this.pages[page - 1] ?? []) : { message: "the-token" }));
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

const body = "<!-- gpufleet-comment fleet/dev -->\n### GPU fleet\n";
const filler = (count: number) => Array.from({ length: count }, (_, id) => ({ id, body: id % 2 ? null : "LGTM" }));

describe("--post", () => {
  let forge: Forge;
  let folder: string;
  let gitHub: NodeJS.ProcessEnv;
  let gitLab: NodeJS.ProcessEnv;

  beforeEach(async () => {
    forge = new Forge();
    const url = await forge.listen();
    folder = mkdtempSync(join(tmpdir(), "gpufleet-post-"));
    const event = join(folder, "event.json");
    writeFileSync(event, JSON.stringify({ pull_request: { number: 7 } }));
    gitHub = {
      GITHUB_ACTIONS: "true",
      GITHUB_TOKEN: "the-token",
      GITHUB_API_URL: url,
      GITHUB_REPOSITORY: "team/infra",
      GITHUB_EVENT_PATH: event,
    };
    gitLab = {
      GITLAB_CI: "true",
      GITLAB_TOKEN: "the-token",
      CI_API_V4_URL: `${url}/api/v4`,
      CI_PROJECT_ID: "42",
      CI_MERGE_REQUEST_IID: "7",
    };
  });

  afterEach(() => {
    forge.close();
    rmSync(folder, { recursive: true });
  });

  test("writes a comment on GitHub where there is none with the marker", async () => {
    forge.pages = [[{ id: 1, body: "<!-- gpufleet-comment fleet/prod -->\nanother stack" }]];
    expect(await postComment(body, gitHub)).toBe("commented on pull request 7");
    expect(forge.arrived).toEqual([
      {
        method: "GET",
        url: "/repos/team/infra/issues/7/comments?per_page=100&page=1",
        token: "Bearer the-token",
        body: undefined,
      },
      { method: "POST", url: "/repos/team/infra/issues/7/comments", token: "Bearer the-token", body: { body } },
    ]);
  });

  test("updates the one with the marker, on whatever page it is", async () => {
    forge.pages = [filler(100), [{ id: 555, body: `${body}as it was` }]];
    expect(await postComment(body, gitHub)).toBe("updated the comment on pull request 7");
    expect(forge.arrived.at(-1)).toEqual({
      method: "PATCH",
      url: "/repos/team/infra/issues/comments/555",
      token: "Bearer the-token",
      body: { body },
    });
  });

  test("does the same on GitLab", async () => {
    expect(await postComment(body, gitLab)).toBe("commented on merge request 7");
    forge.pages = [[{ id: 9, body }]];
    expect(await postComment(body, gitLab)).toBe("updated the comment on merge request 7");
    expect(forge.arrived.map(({ method, url, token }) => `${method} ${url} ${token}`)).toEqual([
      "GET /api/v4/projects/42/merge_requests/7/notes?per_page=100&page=1 the-token",
      "POST /api/v4/projects/42/merge_requests/7/notes the-token",
      "GET /api/v4/projects/42/merge_requests/7/notes?per_page=100&page=1 the-token",
      "PUT /api/v4/projects/42/merge_requests/7/notes/9 the-token",
    ]);
  });

  test("fails with the reason and without the token where it is refused", async () => {
    forge.status = 403;
    const failed = postComment(body, gitLab);
    await expect(failed).rejects.toThrow("GET /api/v4/projects/42/merge_requests/7/notes failed with 403: []");
    await expect(failed).rejects.not.toThrow("the-token");
  });

  test("says what is missing", async () => {
    await expect(postComment(body, {})).rejects.toThrow("--post works only in GitHub Actions and GitLab CI");
    await expect(postComment(body, { ...gitHub, GITHUB_TOKEN: "" })).rejects.toThrow(
      "--post needs GITHUB_TOKEN: set it from github.token in the step's env",
    );
    writeFileSync(join(folder, "event.json"), "{}");
    await expect(postComment(body, gitHub)).rejects.toThrow(
      "--post needs a pull request: run it on the event pull_request",
    );
  });
});
