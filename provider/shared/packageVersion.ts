import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

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
  const { name, version } = readJson(join(folder, "package.json"));
  if (name === "pulumi-gpufleet" && typeof version === "string") return version;
  const parent = dirname(folder);
  return parent === folder ? "0.0.0" : findVersion(parent);
}

function readJson(file: string): Record<string, unknown> {
  try {
    return { ...JSON.parse(readFileSync(file, "utf8")) };
  } catch {
    return {};
  }
}
