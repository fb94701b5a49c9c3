import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { packageVersion } from "../../../provider/shared/packageVersion";

const executable = "pulumi-resource-gpufleet";

export interface Installed {
  version: string;
  folder: string;
}

/** Puts the plugin where the engine looks for it: `resource-<name>-v<version>` among the plugins of Pulumi's home. */
export function installPlugin(environment: NodeJS.ProcessEnv, built = builtPlugin(__dirname)): Installed {
  const version = packageVersion();
  const plugins = join(environment["PULUMI_HOME"] || join(homedir(), ".pulumi"), "plugins");
  const folder = join(plugins, `resource-gpufleet-v${version}`);
  mkdirSync(plugins, { recursive: true });
  // Filled aside and then renamed: an engine that looks meanwhile finds all of it or none.
  const unfinished = mkdtempSync(join(plugins, ".gpufleet-"));
  try {
    for (const file of readdirSync(built).filter((name) => name.startsWith(executable))) {
      copyFileSync(join(built, file), join(unfinished, file));
    }
    chmodSync(join(unfinished, executable), 0o755);
    chmodSync(unfinished, 0o755);
    rmSync(folder, { recursive: true, force: true });
    renameSync(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return { version, folder };
}

/** The folder of the plugin as it was built: beside the commands in `dist`, below it when these run from their sources. */
function builtPlugin(folder: string): string {
  const found = [join(folder, "plugin"), join(folder, "dist", "plugin")].find((one) =>
    existsSync(join(one, executable)),
  );
  if (found) return found;
  const parent = dirname(folder);
  if (parent === folder) throw new Error("this installation has no plugin: install the package pulumi-gpufleet again");
  return builtPlugin(parent);
}
