import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { composeComment } from "../../cli/commands/comment/compose";
import { defaults } from "../../emulator";
import { createClient } from "../../provider/client";
import { typescript } from "../../tools/bootstrap/paths";
import { createEmulatedWorkspace, type EmulatedWorkspace } from "../engine/emulatedWorkspace";
import { bases, type Scenario, scenarios } from "./scenarios";
import { scrubEvents, scrubPreview } from "./scrub";

export const goldenFolder = __dirname;

/** Everything one at a time: ids and the order of steps are then the same at every run. */
const inOrder = ["--parallel", "1"];

export async function makeGolden({ names, commentsOnly }: { names: readonly string[]; commentsOnly: boolean }) {
  const chosen = scenarios.filter(({ name }) => names.length === 0 || names.includes(name));
  if (!commentsOnly) {
    for (const base of new Set(chosen.map((scenario) => scenario.base))) {
      await recordAll(
        base,
        chosen.filter((scenario) => scenario.base === base),
      );
    }
  }
  for (const scenario of chosen) {
    const { markdown, json } = await commentOn(scenario);
    writeFileSync(join(goldenFolder, scenario.name, "comment.md"), markdown);
    if (scenario.json !== false) writeFileSync(join(goldenFolder, scenario.name, "comment.json"), json);
  }
}

/** The comment over a golden preview, in both formats, without a key and outside any project. */
export async function commentOn({ name, policies, comment }: Scenario) {
  const folder = join(goldenFolder, name);
  const request = {
    preview: join(folder, "preview.json"),
    events: policies ? join(folder, "events.jsonl") : undefined,
    cwd: "/",
    ...comment,
  };
  const markdown = await composeComment({ ...request, format: "markdown" }, {});
  const json = await composeComment({ ...request, format: "json" }, {});
  return { markdown: markdown.text, json: json.text, refused: markdown.refused };
}

async function recordAll(base: Scenario["base"], chosen: readonly Scenario[]): Promise<void> {
  const emulated = await createEmulatedWorkspace({
    program: bases[base] ?? "",
    project: "golden",
    // What is missing is taken for gone at once: a fresh record may lag behind, but not here.
    env: { GPUFLEET_RECONCILE_SECONDS: "0" },
  });
  try {
    if (bases[base] !== undefined) await emulated.workspace.succeed("up", "--yes", "--skip-preview", ...inOrder);
    for (const scenario of chosen) {
      process.stderr.write(`${scenario.name}\n`);
      await record(emulated, scenario);
    }
  } finally {
    await emulated.dispose();
  }
}

export async function record(emulated: EmulatedWorkspace, scenario: Scenario, into = goldenFolder): Promise<void> {
  const { workspace } = emulated;
  const folder = join(into, scenario.name);
  mkdirSync(folder, { recursive: true });
  if (scenario.ends) await endBehindItsBack(emulated, scenario.ends);
  workspace.writeProgram(scenario.program);
  await workspace.setConfig(scenario.config ?? {});
  const policies = scenario.policies ? preparePolicies(emulated) : undefined;
  const sames = scenario.withoutSames ? [] : ["--show-sames"];
  const run = await workspace.pulumi(
    ...["preview", "--json", ...sames, ...inOrder, ...(scenario.flags ?? []), ...(policies?.flags ?? [])],
  );
  for (const key of Object.keys(scenario.config ?? {})) await workspace.removeConfig(key);
  writeFileSync(join(folder, "preview.json"), scrubPreview(run.stdout, workspace.folder));
  if (policies) {
    writeFileSync(join(folder, "events.jsonl"), scrubEvents(readFileSync(policies.log, "utf8"), workspace.folder));
    rmSync(policies.log);
  }
}

/** The engine starts `pulumi-analyzer-policy-<runtime>` from the PATH for a runtime that it does not know. */
function preparePolicies({ workspace }: EmulatedWorkspace) {
  const pack = join(workspace.folder, "..", "policies");
  const log = join(pack, "events.jsonl");
  mkdirSync(pack, { recursive: true });
  writeFileSync(join(pack, "PulumiPolicy.yaml"), "runtime: golden\n");
  const launcher = join(pack, "pulumi-analyzer-policy-golden");
  const node = [process.execPath, "--require", typescript, join(__dirname, "policyAnalyzer.ts")];
  writeFileSync(launcher, `#!/bin/sh\nexec ${node.map((part) => `'${part}'`).join(" ")}\n`);
  chmodSync(launcher, 0o755);
  workspace.env["PATH"] = [pack, workspace.env["PATH"]].join(delimiter);
  // The event log is an option for tools; the engine hides it from people.
  workspace.env["PULUMI_DEBUG_COMMANDS"] = "true";
  return { log, flags: ["--policy-pack", pack, "--event-log", log] };
}

async function endBehindItsBack({ emulator, url }: EmulatedWorkspace, label: string): Promise<void> {
  const client = createClient({ baseUrl: url, apiKey: defaults.apiKey });
  const rentals = await client.listBareMetalRentals();
  for (const { id } of rentals.filter((rental) => rental.label?.startsWith(label))) {
    await client.terminateRental({ rentalId: id, rentalType: "bare-metal" });
  }
  await client.close();
  // Past the time in which the provider takes a missing record for a list that lags behind.
  emulator.clock.advance(600);
}
