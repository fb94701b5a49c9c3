import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { root } from "../../../tools/bootstrap/paths";

/** In the repository: what the harness noticed is proof, and a run of hours may be continued on another machine. */
const record = "tests/faults/mutants/results.json";

/** What can change what is noticed: documents and benchmarks cannot. */
const counts = ["provider", "sdk", "cli", "emulator", "tests", "tools", "package-lock.json", `:!${record}`];

const saved = z.object({
  layers: z.array(z.string()),
  sources: z.string(),
  noticed: z.record(z.string(), z.record(z.string(), z.boolean())),
});

/** Which layers noticed which bug, by bug and layer. A bug that was not planted yet, and a layer that was not run, is missing. */
export class LastRun {
  private constructor(
    private readonly layers: readonly string[],
    private readonly sources: string,
    private readonly found: Map<string, ReadonlyMap<string, boolean>>,
  ) {}

  /** `continues` takes over what the last run with the same layers has found of the same sources. */
  static open(continues: boolean, layers: readonly string[]): LastRun {
    const sources = fingerprint();
    const last = continues ? read() : undefined;
    const isSame = last?.sources === sources && last.layers.join() === layers.join();
    const rows = isSame ? Object.entries(last.noticed) : [];
    return new LastRun(layers, sources, new Map(rows.map(([bug, noticed]) => [bug, new Map(Object.entries(noticed))])));
  }

  get isEmpty(): boolean {
    return this.found.size === 0;
  }

  of(bug: string): ReadonlyMap<string, boolean> | undefined {
    return this.found.get(bug);
  }

  add(bug: string, noticed: ReadonlyMap<string, boolean>): void {
    this.found.set(bug, noticed);
  }

  /** One line for each bug. */
  save(): void {
    const rows = [...this.found].map(
      ([bug, noticed]) => `    ${JSON.stringify(bug)}: ${JSON.stringify(Object.fromEntries(noticed))}`,
    );
    const { layers, sources } = this;
    const head = `  "layers": ${JSON.stringify(layers)},\n  "sources": ${JSON.stringify(sources)},\n`;
    writeFileSync(join(root, record), `{\n${head}  "noticed": {\n${rows.join(",\n")}\n  }\n}\n`);
  }
}

/** Of the sources as they are, committed or not. */
function fingerprint(): string {
  const git = (...args: string[]) => execFileSync("git", [...args, "--", ...counts], { cwd: root, encoding: "utf8" });
  return createHash("sha256").update(git("ls-files", "--stage")).update(git("diff")).digest("hex").slice(0, 16);
}

function read(): z.output<typeof saved> | undefined {
  try {
    return saved.parse(JSON.parse(readFileSync(join(root, record), "utf8")));
  } catch {
    return undefined;
  }
}
