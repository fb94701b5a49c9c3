import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { root } from "../../../tools/bootstrap/paths";

const saved = z.object({
  revision: z.string(),
  noticed: z.record(z.string(), z.record(z.string(), z.boolean())),
});

/** What a run has found so far, by bug and layer, kept in a file: a run takes hours, and can be continued. */
export class Progress {
  private constructor(
    private readonly file: string,
    private readonly revision: string,
    private readonly found: Map<string, ReadonlyMap<string, boolean>>,
  ) {}

  /** `continues` takes over what an earlier run with the same layers has found of the same sources. */
  static open(continues: boolean, layers: readonly string[]): Progress {
    const file = join(root, ".gpufleet", "mutants", "progress.json");
    const revision = `${layers.join()} ${revisionOf()}`;
    const earlier = continues ? read(file) : undefined;
    const rows = earlier?.revision === revision ? Object.entries(earlier.noticed) : [];
    return new Progress(
      file,
      revision,
      new Map(rows.map(([name, noticed]) => [name, new Map(Object.entries(noticed))])),
    );
  }

  get isEmpty(): boolean {
    return this.found.size === 0;
  }

  of(bug: string): ReadonlyMap<string, boolean> | undefined {
    return this.found.get(bug);
  }

  add(bug: string, noticed: ReadonlyMap<string, boolean>): void {
    this.found.set(bug, noticed);
    const rows = [...this.found].map(([name, layers]) => [name, Object.fromEntries(layers)]);
    mkdirSync(dirname(this.file), { recursive: true });
    writeFileSync(this.file, JSON.stringify({ revision: this.revision, noticed: Object.fromEntries(rows) }));
  }
}

/** The commit, and what was changed since. */
function revisionOf(): string {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" });
  return `${git("rev-parse", "HEAD")}${git("diff", "HEAD")}`;
}

function read(file: string): z.output<typeof saved> | undefined {
  try {
    return saved.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return undefined;
  }
}
