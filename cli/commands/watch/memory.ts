import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { z } from "zod";
import type { Place } from "../../place";
import type { Report } from "./finding";

/** What was last reported, so that it is reported again only when it changes. */
export class Memory {
  private last: ReadonlySet<string> | undefined;

  /** Without a file it is forgotten with this process. */
  constructor(private readonly file?: string) {}

  /** Whether the report says something that the last one did not, or the other way round. */
  isNews(report: Report): boolean {
    this.last ??= new Set(readMarks(this.file));
    const { last } = this;
    const now = new Set(marksOf(report));
    return report.destroyed.length > 0 || now.size !== last.size || [...now].some((mark) => !last.has(mark));
  }

  /** To be called when the report has reached whom it is for. */
  keep(report: Report): void {
    const marks = marksOf(report);
    this.last = new Set(marks);
    if (this.file !== undefined) writeMarks(this.file, marks);
  }
}

/** Where it is remembered unless said otherwise: apart for each project, stack and receiver. */
export function defaultMemoryFile(
  { cwd, stack = "" }: Place,
  receiver: string,
  environment: NodeJS.ProcessEnv,
): string {
  const states = environment["XDG_STATE_HOME"] || join(homedir(), ".local", "state");
  return join(states, "gpufleet", `watch-${hash(JSON.stringify([cwd, stack, receiver]))}.json`);
}

/** Hashes, because a subject may hold what is not for everybody who can read the file. */
function marksOf({ findings }: Report): string[] {
  return findings.map(({ subject }) => hash(subject));
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

const remembered = z.object({ version: z.literal(1), reported: z.array(z.string()) });

/** A file that is missing or damaged is an empty memory: to say it twice is better than not at all. */
function readMarks(file: string | undefined): string[] {
  if (file === undefined) return [];
  try {
    return remembered.parse(JSON.parse(readFileSync(file, "utf8"))).reported;
  } catch {
    return [];
  }
}

function writeMarks(file: string, reported: readonly string[]): void {
  mkdirSync(dirname(file), { recursive: true });
  const unfinished = `${file}.${randomBytes(4).toString("hex")}`;
  writeFileSync(unfinished, JSON.stringify({ version: 1, reported }), { mode: 0o600 });
  renameSync(unfinished, file);
}
