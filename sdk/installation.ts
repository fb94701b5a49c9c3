import { createRequire } from "node:module";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { version } from "@pulumi/pulumi/version";
import { providerModule } from "../provider/shared/stub";
import { isMocked } from "./mocks";

/** The first whose host hands the configuration on to dynamic providers: without it every limit would be ignored. */
const oldest = "3.139.0";

let isChecked = false;

/** Refuses, once per program, what would fail later without a word of use. */
export function checkInstallation(): void {
  if (isChecked || isMocked()) return;
  const problem = whyTooOld(version) ?? whyNotFound(process.cwd(), runsUnderLanguageHost());
  if (problem !== undefined) throw new pulumi.RunError(problem);
  isChecked = true;
}

/** Why this version of `@pulumi/pulumi` does not do. */
export function whyTooOld(version: string): string | undefined {
  return isAtLeast(version, oldest)
    ? undefined
    : `pulumi-gpufleet needs @pulumi/pulumi ${oldest} or later, and this program has ${version}: run \`npm install @pulumi/pulumi@latest\` in the program's folder.`;
}

function isAtLeast(version: string, least: string): boolean {
  const [given, needed] = [version, least].map((text) => text.split(/[.-]/).slice(0, 3).map(Number));
  for (const [index, number] of (needed ?? []).entries()) {
    const part = given?.[index] ?? 0;
    if (part !== number) return part > number;
  }
  return true;
}

/** The program's folder is known only where the engine has started the program itself. */
function runsUnderLanguageHost(): boolean {
  return /@pulumi[\\/]pulumi[\\/]cmd[\\/]run/.test(process.argv[1] ?? "");
}

/** Why the provider process, which looks for this package from the program's folder upwards, would not find it. */
export function whyNotFound(folder: string, isProgramFolder: boolean): string | undefined {
  if (!isProgramFolder) return undefined;
  try {
    createRequire(join(folder, "program.js")).resolve(providerModule);
    return undefined;
  } catch {
    return `pulumi-gpufleet cannot be found from ${folder}, where the engine looks for it: run \`npm install pulumi-gpufleet\` (or \`pnpm add pulumi-gpufleet\`) there, even if only a library of the program uses it.`;
  }
}
