import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";

const manifest = z.object({ name: z.literal("pulumi-gpufleet"), version: z.string() });

let known: string | undefined;

/** For where there is no package.json: the plugin is one file. */
export function declarePackageVersion(version: string): void {
  known = version;
}

/** The version of this package, from its package.json: which is one folder further up when running from `dist`. */
export function packageVersion(): string {
  known ??= findVersion(__dirname);
  return known;
}

function findVersion(folder: string): string {
  const parsed = manifest.safeParse(readJson(join(folder, "package.json")));
  if (parsed.success) return parsed.data.version;
  const parent = dirname(folder);
  return parent === folder ? "0.0.0" : findVersion(parent);
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}
