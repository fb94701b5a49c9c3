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
  const tooOld = whyTooOld(version);
  if (tooOld !== undefined) throw new pulumi.RunError(tooOld);
  if (!isFoundFrom(process.cwd())) complain(process.cwd());
  isChecked = true;
}

/** Why this version of `@pulumi/pulumi` does not do. */
export function whyTooOld(found: string): string | undefined {
  return isAtLeast(found, oldest)
    ? undefined
    : `pulumi-gpufleet needs @pulumi/pulumi ${oldest} or later, and this program has ${found}: run \`npm install @pulumi/pulumi@latest\` in the program's folder.`;
}

function isAtLeast(version: string, least: string): boolean {
  const numbersOf = (text: string) => text.split(/[.-]/).slice(0, 3).map(Number);
  const needed = numbersOf(least);
  const given = numbersOf(version);
  const differing = needed.findIndex((number, index) => number !== given[index]);
  return differing < 0 || (given[differing] ?? 0) > (needed[differing] ?? 0);
}

/** Whether the provider process, which looks for this package from the program's folder upwards, finds it there. */
export function isFoundFrom(folder: string): boolean {
  try {
    createRequire(join(folder, "program.js")).resolve(providerModule);
    return true;
  } catch {
    return false;
  }
}

/**
 * The engine starts a program in its own folder. A script that uses the Automation API is most often run there, too, but
 * may have told the engine of another one: then this is only a warning.
 */
function complain(folder: string): void {
  const problem = `pulumi-gpufleet cannot be found from ${folder}, where the engine looks for it`;
  if (isStartedByEngine()) {
    throw new pulumi.RunError(
      `${problem}: run \`npm install pulumi-gpufleet\` (or \`pnpm add pulumi-gpufleet\`) there, even if only a library of the program uses it.`,
    );
  }
  pulumi.log.warn(
    `${problem}: start the script in the folder of its package.json, or pass \`envVars: { NODE_PATH: "…/node_modules" }\` to the workspace, with the node_modules folder in which both pulumi-gpufleet and @pulumi/pulumi are.`,
  );
}

function isStartedByEngine(): boolean {
  return /@pulumi[\\/]pulumi[\\/]cmd[\\/]run/.test(process.argv[1] ?? "");
}
