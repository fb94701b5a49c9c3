import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { changesOf } from "../../cli/preview/changes";
import { parsePreview } from "../../cli/preview/readPreview";
import { createClient } from "../../provider/client";
import { root } from "../../tools/bootstrap/paths";
import { paths } from "../emulator/rig";
import { goldenFolder, record } from "../golden/makeGolden";
import { scenarios } from "../golden/scenarios";
import { createEmulatedWorkspace, type EmulatedWorkspace } from "./emulatedWorkspace";
import { runCommand, runGpufleet } from "./runCommand";

const program = (more = "") => `
  const g = require("pulumi-gpufleet");
  const rent = (name, args) => new g.BareMetalRental(name, { networkType: "infiniband", gpuCount: 8, ...args });
  const train = rent("train");
  const job = rent("job", { expiresAt: "1s" });
  const data = new g.StorageVolume("data", { region: "us-central-1", sizeInGb: 1024 });
  new g.VolumeAttachment("data-on-job", { storageVolumeId: data.storageVolumeId, rentalIds: [job.rentalId] });
  ${more}
`;

/** The commands and the steps of the workflow, one after the other on one stack, as a pipeline would have it. */
describe("The commands on the real engine", () => {
  let emulated: EmulatedWorkspace;
  let gitHub: { server: Server; comments: string[]; environment: NodeJS.ProcessEnv };
  let files: string;

  beforeAll(async () => {
    // What has expired is told by the service's clock, not by ours.
    const emulator = { clockSkewSeconds: 8 * 3600 };
    emulated = await createEmulatedWorkspace({
      ...{ program: program(), project: "golden", emulator },
      // The lists of this emulator do not lag, so that recover has nothing to wait for after a run that failed.
      env: { GPUFLEET_RECONCILE_SECONDS: "2" },
    });
    files = join(emulated.workspace.folder, "..", "files");
    mkdirSync(files);
    gitHub = await startGitHub(files);
  });

  afterAll(async () => {
    gitHub.server.close();
    await emulated.dispose();
  });

  const gpufleet = (...args: string[]) => runGpufleet(emulated.workspace, ...args);
  const action = (what: string, env: NodeJS.ProcessEnv = {}) =>
    runCommand(emulated.workspace, "bash", [join(root, ".github/actions/gpufleet/run.sh"), what], {
      ACTION_STACK: "test",
      ...env,
    });

  /** Names of what bills, by the labels that the provider chose. */
  const billing = () =>
    emulated.emulator
      .state()
      .filter((one) => one.billing)
      .map(({ label }) => label?.replace(/(-[a-z2-7]+){3}$/, ""))
      .sort();

  test("the script makes a golden preview anew as it was", async () => {
    const scenario = scenarios.find(({ name }) => name === "create");
    if (!scenario) throw new Error("there is no such scenario");
    await record(emulated, scenario, files);
    // What was asked for, without what another version of the engine may add.
    const read = (folder: string) =>
      changesOf(parsePreview(readFileSync(join(folder, scenario.name, "preview.json"), "utf8"), folder)).map(
        ({ op, urn, after }) => ({ op, urn, inputs: after?.inputs }),
      );
    expect(read(files)).toEqual(read(goldenFolder));
    emulated.workspace.writeProgram(program());
  });

  test("the action previews, comments on the pull request, and fails where the limit is passed", async () => {
    const summary = join(files, "summary.md");
    const env = {
      ...gitHub.environment,
      GITHUB_STEP_SUMMARY: summary,
      ACTION_MAX_COST_PER_HOUR: "1",
      RUNNER_TEMP: files,
    };
    const { code, stderr } = await action("preview", env);
    expect(code).toBe(2);
    expect(stderr).toContain(
      "gpufleet comment: commented on pull request 7\ngpufleet comment: refused: no price is known, so it may be more than $1.00/h\n",
    );
    expect(gitHub.comments).toEqual([
      expect.stringContaining("| ➕ create storage volume `data` | 1024 GB in us-central-1 | price unknown |"),
    ]);
    expect(readFileSync(summary, "utf8")).toBe(gitHub.comments[0]);
    expect(gitHub.comments[0]).toContain("**Balance** $1,000,000.00");
  });

  test("the action comments where the stack does not exist, and brings nothing up there", async () => {
    const before = gitHub.comments.length;
    const env = { ...gitHub.environment, ACTION_STACK: "nowhere", RUNNER_TEMP: files };
    expect((await action("preview", env)).code).not.toBe(0);
    expect(gitHub.comments.slice(before)).toEqual([
      expect.stringMatching(
        /^<!-- gpufleet-comment golden\/nowhere -->[\s\S]*no stack named 'nowhere' found\. To create it, once: pulumi stack init nowhere/,
      ),
    ]);
    const { code, stderr } = await action("up", env);
    expect(code).toBe(1);
    expect(stderr).toMatch(/no stack named 'nowhere' found\nTo create it, once: pulumi stack init nowhere\n$/);
  });

  test("the action brings the stack up, after recover", async () => {
    const { code, stdout } = await action("up");
    expect(stdout).toMatch(/\+ 5 created/);
    expect(code).toBe(0);
    expect(billing()).toEqual(["data", "job", "train"]);
  });

  test("cost, prices, orphans and doctor see the stack beside the account", async () => {
    const client = createClient({ baseUrl: emulated.url, apiKey: "emulator-key" });
    const [rental] = await client.listBareMetalRentals();
    const lost = (rental?.label ?? "").replace(/^[a-z]+-([a-z2-7]{6})-.*$/, "lost-$1-aaaaaaaa-aaaaaa");
    const { id } = await client.createBareMetalRental({ networkType: "infiniband", gpuCount: 8, label: lost });
    await client.close();
    const [cost, prices, orphans, doctor, deleted] = [
      await gpufleet("cost", "--json"),
      await gpufleet("prices", "--book", "--stack", "test"),
      await gpufleet("orphans"),
      await gpufleet("doctor", "--json"),
      await gpufleet("orphans", "--delete", String(id), "--grace-minutes", "0", "--yes"),
    ];
    expect(JSON.parse(cost.stdout)).toMatchObject({
      stack: {
        name: "golden/test",
        perHour: 39.9424,
        resources: [{ name: "job" }, { name: "train" }, { name: "data" }],
      },
      elsewhere: { perHour: 19.92, resources: [{ name: "lost" }] },
    });
    expect(prices).toEqual({
      code: 0,
      stdout: '{"h100":{"us-central-1":2.49},"storage":{"us-central-1":0.0001}}\n',
      stderr:
        'To use it: book=$(gpufleet prices --book --stack test) && pulumi config set gpufleet:prices "$book" --stack test\n',
    });
    expect(orphans.code).toBe(2);
    expect(orphans.stdout).toContain("Orphans, created by golden/test but in no state: 1, $19.92/h");
    expect(JSON.parse(doctor.stdout).findings).toContainEqual({
      check: "stack",
      status: "ok",
      result: "test, 4 resources of this provider",
    });
    expect(doctor.code).toBe(0);
    expect(deleted).toMatchObject({ code: 0, stderr: "" });
    expect(billing()).toEqual(["data", "job", "train"]);
  });

  test("a comment takes from the state what a preview does not show, and the report shows both", async () => {
    const { workspace } = emulated;
    workspace.writeProgram(program('rent("more");'));
    const preview = join(files, "preview.json");
    writeFileSync(preview, (await workspace.succeed("preview", "--json")).stdout);
    const { stdout, code } = await gpufleet("comment", "--preview", preview, "--max-cost-per-hour", "60");
    expect(stdout).toContain("| per hour | $39.94 | ≈ $59.86 | **≈ +$19.92** (+50%) |");
    expect(code).toBe(0);
    const html = join(files, "report.html");
    expect(await gpufleet("report", "--html", html, "--preview", preview)).toMatchObject({
      code: 0,
      stdout: `Wrote ${html}\n`,
    });
    expect(readFileSync(html, "utf8")).toContain('<div class="name">more</div>');
    workspace.writeProgram(program());
  });

  test("a comment tells also of the data that the next up destroys because the last one could not", async () => {
    const { emulator, workspace } = emulated;
    const old = (region: string) => program(`new g.StorageVolume("old", { region: "${region}", sizeInGb: 256 });`);
    workspace.writeProgram(old("us-central-1"));
    expect(await workspace.up()).toMatchObject({ code: 0 });
    emulator.faults.add({
      match: { method: "POST", path: `${paths.volumes}/delete` },
      times: 99,
      kind: "status",
      status: 403,
    });
    workspace.writeProgram(old("us-east-1"));
    expect((await workspace.up()).code).not.toBe(0);
    emulator.faults.clear();
    const preview = join(files, "preview.json");
    writeFileSync(preview, (await workspace.succeed("preview", "--json", "--show-sames")).stdout);
    const { stdout, stderr, code } = await gpufleet("comment", "--preview", preview, "--forbid-data-loss");
    expect(stdout).toMatch(/deletes volume `old`, 256 GB: its contents are lost/);
    expect({ stderr, code }).toEqual({
      stderr: "gpufleet comment: refused: the contents of one volume are lost\n",
      code: 2,
    });
    workspace.writeProgram(program());
    expect(await workspace.up()).toMatchObject({ code: 0 });
    expect(billing()).toEqual(["data", "job", "train"]);
  });

  test("no command shows the key that the service echoes in its records", async () => {
    const { emulator, url, workspace } = emulated;
    const key = "key-1b7e0c55-secret";
    const client = createClient({ baseUrl: url, apiKey: "emulator-key" });
    const ssh = { sshNetworking: [{ host: `${key}.example`, port: 22, user: key }] };
    const echoed = (record: object) => ({ ...record, region: key, providerData: ssh });
    const rentals = await client.listBareMetalRentals();
    const stranger = { ...rentals[0], id: 7777, label: key };
    const answers: [string, unknown][] = [
      ["/v2/alpha/on-demand/bare-metal-rentals", [...rentals, stranger].map(echoed)],
      ["/v2/alpha/on-demand/storage-volumes", (await client.listStorageVolumes()).map((one) => ({ ...one, vip: key }))],
      ["/v1/marketplace/instances", { instances: [{ id: key, instance: { status: "running", gpu_count: 1 } }] }],
      ["/billing/get_current_balance", { error: key }],
    ];
    await client.close();
    for (const [path, body] of answers) {
      emulator.faults.add({ match: { method: "GET", path }, times: 1000, kind: "status", status: 200, body });
    }
    const [report, config] = [join(files, "echoed.html"), join(files, "echoed.ts")];
    const preview = join(goldenFolder, "create", "preview.json");
    const env = { GPUFLEET_API_KEY: key, HOME: files };
    // All of them write through one place: here are those that show most of the records.
    const lines = [
      ...["ls --json", "ls --account", "offers", "import", "orphans", "cost --json", "ssh-config", "doctor"],
      ...[`import --out ${config}`, `report --html ${report}`, `comment --preview ${preview}`],
    ];
    const gpufleetBin = join(root, "bin", "gpufleet");
    const shown = await Promise.all(
      lines.map((line) => runCommand(workspace, process.execPath, [gpufleetBin, ...line.split(" ")], env)),
    );
    const live = ["-s", "INT", "9", process.execPath, gpufleetBin, "ls", "--account", "--watch", "--every", "5s"];
    shown.push(await runCommand(workspace, "timeout", live, env));
    emulator.faults.clear();
    const written = [report, config].map((file) => readFileSync(file, "utf8"));
    expect(JSON.stringify([shown, written])).not.toContain(key);
    // They have shown the records, and did not just fail.
    for (const [index, line] of [...lines, "ls --watch"].entries()) {
      if (/^(ls|import$|orphans)/.test(line))
        expect([line, shown[index]?.stdout]).toEqual([line, expect.stringMatching(/redacted/)]);
    }
  });

  test("expired and watch show what is overdue, and the action ends it through the engine", async () => {
    const shown = await gpufleet("expired", "--destroy");
    expect(shown.code).toBe(2);
    expect(shown.stdout).toMatch(/^Expired: 1\n.*\n {2}job .*\nNothing was destroyed\. Add --yes to destroy\.\n$/);
    expect(billing()).toEqual(["data", "job", "train"]);

    const watched = await gpufleet("watch", "--json", "--min-balance-hours", "1", "--stack", "test");
    expect(watched).toMatchObject({ code: 2, stderr: "" });
    expect(JSON.parse(watched.stdout)).toMatchObject({
      stack: "golden/test",
      status: "found",
      findings: [
        {
          kind: "expired",
          name: "job",
          costPerHour: 19.92,
          text: expect.stringMatching(/`gpufleet expired --destroy --yes --stack test` destroys it$/),
        },
      ],
    });
    expect(await action("watch")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /GPU fleet golden\/test: 1 expired resource destroyed\n {2}job \(bare-metal rental, 8×h100\) had expired and was destroyed\.\n$/,
      ),
      stderr: expect.stringMatching(/bare-metal rental \d+ had expired at .* UTC and was terminated/),
    });
    expect(billing()).toEqual(["data", "train"]);
  });

  test("what has expired stays ended in the next up, and no command counts it", async () => {
    const { code, output, summary } = await emulated.workspace.up("--refresh");
    expect({ code, ...summary }).toMatchObject({ code: 0, created: 0, updated: 0, replaced: 0, deleted: 0 });
    expect(output).not.toContain("differs from the program");
    expect(output).toMatch(
      /BareMetalRental \(job\):\n +expired at .* UTC and has ended\. It is not rented again until its expiresAt changes\n/,
    );
    expect(billing()).toEqual(["data", "train"]);
    const { deployment } = emulated.workspace.exportState();
    const job = deployment.resources.find(({ urn }) => urn.endsWith("::job"));
    expect(job?.outputs).toMatchObject({ status: "Expired", expiresAt: "1s" });
    expect(await gpufleet("expired", "--destroy", "--yes")).toMatchObject({
      code: 0,
      stdout: "Nothing has expired.\n",
    });
    const cost = JSON.parse((await gpufleet("cost", "--json")).stdout);
    expect(cost.stack.resources.map(({ name }: { name: string }) => name).sort()).toEqual(["data", "train"]);
    expect(await gpufleet("watch")).toMatchObject({ code: 0, stdout: "GPU fleet golden/test: nothing to report\n" });
    expect((await gpufleet("orphans")).code).toBe(0);
    const path = "/v2/alpha/on-demand/virtual-machine-rentals";
    emulated.emulator.faults.add({ match: { method: "GET", path }, kind: "status", status: 200, body: { rows: [] } });
    expect(await gpufleet("orphans")).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^No orphan of golden\/test found, but not everything was looked at: virtual-/),
    });
    emulated.emulator.faults.clear();
    const doctor = await gpufleet("doctor", "--json");
    expect(JSON.parse(doctor.stdout).findings).toContainEqual(
      expect.objectContaining({ check: "refresh", result: "2 of 2 resources of the state listed" }),
    );
  });

  test("the action destroys, and looks for orphans afterwards", async () => {
    const { code, stdout } = await action("destroy");
    expect(stdout).toContain("No orphans: everything that golden/test created is in a state.");
    expect(code).toBe(0);
    expect(billing()).toEqual([]);
  });
});

/** GitHub, as far as the comments of pull request 7 go. */
async function startGitHub(folder: string) {
  const comments: string[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const part of request) text += part;
    if (request.method !== "GET") comments.push(JSON.parse(text).body);
    response.end(request.method === "GET" ? "[]" : "{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const event = join(folder, "event.json");
  writeFileSync(event, JSON.stringify({ pull_request: { number: 7 } }));
  const environment = {
    GITHUB_ACTIONS: "true",
    GITHUB_EVENT_NAME: "pull_request",
    GITHUB_EVENT_PATH: event,
    GITHUB_REPOSITORY: "team/infra",
    GITHUB_TOKEN: "a-token",
    GITHUB_API_URL: `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`,
  };
  return { server, comments, environment };
}
