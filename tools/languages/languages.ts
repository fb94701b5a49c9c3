/** The language hosts of Pulumi that the engine does not come with, and what their programs need. */
import { copyFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { run, ToolError } from "../bootstrap/command";
import { findOnPath } from "../bootstrap/engine/executable";
import { local } from "../bootstrap/paths";
import { getGoTool } from "../goTool/goTool";
import { getPythonEnvironment } from "../python/environment";
import { getSdks } from "../sdkGenerator/sdks";

export type Language = "yaml" | "python" | "go";

/**
 * Where each host comes from: the versions that Go's module proxies have. Later hosts of Python and Go live in modules without
 * versions; these run current programs.
 */
const packages: Readonly<Record<Language, string>> = {
  yaml: "github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml",
  python: "github.com/pulumi/pulumi/sdk/v3/python/cmd/pulumi-language-python",
  go: "github.com/pulumi/pulumi/sdk/v3/go/pulumi-language-go",
};

export interface LanguageSetUp {
  /** Folders that go first on PATH. */
  path: string[];
  env: Readonly<Record<string, string>>;
  /** The folder of the generated SDK; none for YAML, which reads the schema itself. */
  sdk?: string;
}

/** Everything that a program in this language needs, got first if need be. */
export async function setUpLanguage(language: Language): Promise<LanguageSetUp> {
  const host = await getHost(language);
  if (language === "yaml") return { path: [host], env: {} };
  const sdk = join(await getSdks(), language);
  if (language === "go") return { path: [host], env: {}, sdk };
  const python = await getPythonEnvironment("pulumi-python", join(__dirname, "python", "requirements.txt"));
  // This host does not know the option `virtualenv`: it runs the first python3 on PATH.
  return { path: [python, host], env: { PYTHONPATH: await installPythonSdk(python, sdk) }, sdk };
}

/** The folder that the SDK is installed in: without the metadata of an installed package it does not load. */
async function installPythonSdk(python: string, sdk: string): Promise<string> {
  const target = join(local, "python-sdk");
  rmSync(target, { recursive: true, force: true });
  const flags = ["--quiet", "--disable-pip-version-check", "--no-deps", "--no-build-isolation"];
  const args = ["-m", "pip", "install", ...flags, "--target", target, sdk];
  const { code, stderr } = await run(join(python, "python"), args, { output: "capture" });
  if (code !== 0) throw new ToolError(`The SDK for Python could not be installed:\n${stderr.trim()}`);
  return target;
}

/** The folder of the host: the one that is installed, or one that is built. */
async function getHost(language: Language): Promise<string> {
  const name = `pulumi-language-${language}`;
  const [installed] = findOnPath(name, process.env);
  if (installed) return dirname(installed);
  return getGoTool({
    name,
    folder: join(__dirname, language),
    package: packages[language],
    ...(language === "python" && { complete: addLauncher }),
  });
}

/** The script that runs a Python program lies in the module, beside the source of the host. */
async function addLauncher(folder: string, go: (...args: string[]) => Promise<string>): Promise<void> {
  const module = await go("list", "-mod=readonly", "-m", "-f", "{{.Dir}}", "github.com/pulumi/pulumi/sdk/v3");
  const launcher = "pulumi-language-python-exec";
  copyFileSync(join(module, "python", "cmd", launcher), join(folder, launcher));
}
