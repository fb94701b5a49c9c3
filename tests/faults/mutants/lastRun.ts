import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { root } from "../../../tools/bootstrap/paths";
import type { PlantedBug } from "./plantedBugs";

/** In the repository: what the harness noticed is proof, and a run of hours may be continued on another machine. */
const record = "tests/faults/mutants/results.json";

const rowSchema = z.object({
  /** The sources that it was planted in. */
  commit: z.string(),
  /** Of what was planted. */
  patch: z.string(),
  /** By layer; one that was not run is missing. */
  noticed: z.record(z.string(), z.boolean()),
});
const saved = z.object({ layers: z.array(z.string()), bugs: z.record(z.string(), rowSchema) });

type Result = z.output<typeof rowSchema>;

/** Which layers noticed which bug, and at which commit. */
export class LastRun {
  private constructor(
    private readonly layers: readonly string[],
    private readonly commit: string,
    private readonly rows: Map<string, Result>,
  ) {}

  /** Takes over what earlier runs with the same layers have found of bugs that are still planted so, but for those that are planted anew. */
  static open(layers: readonly string[], bugs: readonly PlantedBug[], anew: readonly PlantedBug[]): LastRun {
    const last = read();
    const rows = bugs
      .filter((bug) => !anew.includes(bug))
      .flatMap((bug): [string, Result][] => {
        const row = last?.layers.join() === layers.join() ? last.bugs[bug.name] : undefined;
        return row?.patch === fingerprint(bug) ? [[bug.name, row]] : [];
      });
    return new LastRun(layers, currentCommit(), new Map(rows));
  }

  of({ name }: PlantedBug): ReadonlyMap<string, boolean> | undefined {
    const row = this.rows.get(name);
    return row && new Map(Object.entries(row.noticed));
  }

  add(bug: PlantedBug, noticed: ReadonlyMap<string, boolean>): void {
    const { commit } = this;
    this.rows.set(bug.name, { commit, patch: fingerprint(bug), noticed: Object.fromEntries(noticed) });
  }

  /** One line for each bug. */
  save(): void {
    const rows = [...this.rows].map(([bug, row]) => `    ${JSON.stringify(bug)}: ${JSON.stringify(row)}`);
    const head = `  "layers": ${JSON.stringify(this.layers)},\n`;
    writeFileSync(join(root, record), `{\n${head}  "bugs": {\n${rows.join(",\n")}\n  }\n}\n`);
  }
}

function fingerprint({ find, replace }: PlantedBug): string {
  return createHash("sha256").update(`${find}\n${replace}`).digest("hex").slice(0, 8);
}

/** With a mark where something is not committed, the record itself aside. */
export function currentCommit(): string {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  const isChanged = git("status", "--porcelain", "--", ".", `:!${record}`) !== "";
  return `${git("rev-parse", "--short=8", "HEAD")}${isChanged ? "+" : ""}`;
}

function read(): z.output<typeof saved> | undefined {
  try {
    return saved.parse(JSON.parse(readFileSync(join(root, record), "utf8")));
  } catch {
    return undefined;
  }
}
