import { readFileSync } from "node:fs";
import { type Profiler, Session } from "node:inspector";
import { SourceMap } from "node:module";
import { pathToFileURL } from "node:url";

/** A part of a source file, by the offsets of its text. */
export interface Place {
  file: string;
  start: number;
  end: number;
}

/** What was executed: of the places, and of all the scripts. */
export interface Taken<One extends Place> {
  places: One[];
  scripts: readonly Profiler.ScriptCoverage[];
}

/** Tells what was executed since it was last asked. What runs only when a file is loaded never is. */
export class Executed<One extends Place> {
  readonly #session = new Session();
  readonly #places: { place: One; url: string; offsets: number[] }[];

  constructor(places: readonly One[]) {
    this.#session.connect();
    this.#session.post("Profiler.enable");
    this.#session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
    this.#places = places.map((place) => ({
      place,
      url: pathToFileURL(place.file).href,
      offsets: offsetsOf(place),
    }));
  }

  take(): Taken<One> {
    const scripts = new Map<string, Profiler.ScriptCoverage>();
    this.#session.post("Profiler.takePreciseCoverage", (error, { result }) => {
      if (error) throw error;
      for (const script of result) scripts.set(script.url, script);
    });
    const places = this.#places.flatMap(({ place, url, offsets }) => {
      const script = scripts.get(url);
      return script && offsets.some((offset) => hasRun(script, offset)) ? [place] : [];
    });
    return { places, scripts: [...scripts.values()] };
  }
}

/** Of the blocks around it the innermost tells. */
function hasRun({ functions }: Profiler.ScriptCoverage, offset: number): boolean {
  const around = functions
    .flatMap(({ ranges }) => ranges)
    .filter(({ startOffset, endOffset }) => startOffset <= offset && offset < endOffset);
  const [innermost] = around.sort((one, other) => sizeOf(one) - sizeOf(other));
  return innermost !== undefined && innermost.count > 0;
}

function sizeOf({ startOffset, endOffset }: Profiler.CoverageRange): number {
  return endOffset - startOffset;
}

/**
 * Where the code that ts-node makes of a file has what the file has between these offsets. Where that is nothing that runs, such as the end
 * of a statement behind which something is added, what stands before it tells.
 */
function offsetsOf({ file, start, end }: Place): number[] {
  const source = readFileSync(file, "utf8");
  const { code, map } = compiled(file, source);
  const lineStarts = startsOf(source);
  const offsets: number[] = [];
  let before = { original: -1, offset: 0 };
  let [line, column] = [0, 0];
  for (let offset = 0; offset < code.length; offset += 1) {
    const entry = map.findEntry(line, column);
    if ("originalLine" in entry && entry.generatedLine === line && entry.generatedColumn === column) {
      const original = (lineStarts[entry.originalLine] ?? 0) + entry.originalColumn;
      if (original >= start && original < end) offsets.push(offset);
      if (original < start && original >= before.original) before = { original, offset };
    }
    if (code[offset] === "\n") [line, column] = [line + 1, 0];
    else column += 1;
  }
  return offsets.length > 0 ? offsets : [before.offset];
}

function startsOf(text: string): number[] {
  return [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
}

/** The one that has compiled this process's own sources. */
const service: { compile(source: string, file: string): string } = Reflect.get(
  process,
  Symbol.for("ts-node.register.instance"),
);

const known = new Map<string, { code: string; map: SourceMap }>();

function compiled(file: string, source: string): { code: string; map: SourceMap } {
  const before = known.get(file);
  if (before) return before;
  const code = service.compile(source, file);
  const [, encoded = ""] = /\/\/# sourceMappingURL=data:application\/json[^,]*;base64,(\S+)/.exec(code) ?? [];
  const made = { code, map: new SourceMap(JSON.parse(Buffer.from(encoded, "base64").toString("utf8"))) };
  known.set(file, made);
  return made;
}
