/** The engine built from its pinned Go modules: the way that needs nothing but Go and a module proxy. */
const fs = require("node:fs");
const path = require("node:path");
const { ToolError, run } = require("../command");
const { createProgress } = require("../progress");
const { copyLauncher } = require("./launcher");
const { GO_MODULES, INSTALL_COMMAND, VERSION } = require("./pins");

const LOG_LINES_SHOWN = 15;
/** What `go build -v` prints of each package as it builds it. */
const PACKAGE_LINE = /^[\w.-]+(\/\S*)?$/;

/** How much of the work on a module is to get its sources. */
const DOWNLOAD_SHARE = 0.15;

/**
 * @param {string} go
 * @param {string} folder
 * @param {NodeJS.ProcessEnv} env
 * @param {{say: import("../progress").Say, stream: import("../progress").ProgressStream}} shown
 */
async function buildEngine(go, folder, env, { say, stream }) {
  say(`building Pulumi ${VERSION} from source with Go; about 6 minutes on two cores, once per machine`);
  const progress = createProgress("Engine", { say, stream });
  const whole = GO_MODULES.reduce((sum, { weight }) => sum + weight, 0);
  let before = 0;
  try {
    for (const module of GO_MODULES) {
      const begin = before / whole;
      const show = (/** @type {number} */ share, /** @type {string} */ text) =>
        progress.show(begin + (share * module.weight) / whole, text);
      await buildModule({ go, module, folder, env, show });
      before += module.weight;
    }
    copyLauncher(folder);
    progress.done();
  } finally {
    progress.stop();
  }
}

/**
 * @param {object} job
 * @param {string} job.go
 * @param {typeof GO_MODULES[number]} job.module
 * @param {string} job.folder
 * @param {NodeJS.ProcessEnv} job.env
 * @param {(share: number, text: string) => void} job.show
 */
async function buildModule({ go, module, folder, env, show }) {
  const options = {
    cwd: module.folder,
    // A go.work or GOFLAGS of the user's must not change what is built.
    env: { ...env, GOWORK: "off", GOFLAGS: "" },
    output: /** @type {const} */ ("capture"),
  };
  const flags = ["-mod=readonly", "-buildvcs=false", "-ldflags", module.linkerFlags];

  // Gets the sources, too. Packages that Go has in its cache are not built again, nor counted.
  const sources = countSources(module.folder);
  let downloads = 0;
  show(0, `looking what ${module.executable} needs`);
  const listed = await run(
    go,
    ["list", ...flags, "-deps", "-f", "{{if .Stale}}{{.ImportPath}}{{end}}", module.package],
    {
      ...options,
      onOutput: (text) => {
        const found = text.split("go: downloading ").length - 1;
        downloads += found;
        if (found > 0) show(DOWNLOAD_SHARE * Math.min(1, downloads / sources), `downloading ${sources} modules`);
      },
    },
  );
  if (listed.code !== 0) throw buildFailed(module.executable, listed.stderr);
  const packages = listed.stdout.split("\n").filter(Boolean).length;

  let built = 0;
  const { code, stderr } = await run(
    go,
    ["build", "-v", ...flags, "-o", path.join(folder, module.executable), module.package],
    {
      ...options,
      onOutput: (text) => {
        built += text.split("\n").filter((line) => PACKAGE_LINE.test(line)).length;
        const share = Math.min(1, built / Math.max(1, packages));
        show(
          DOWNLOAD_SHARE + (1 - DOWNLOAD_SHARE) * share,
          `building ${module.executable}, package ${Math.min(built, packages)} of ${packages}`,
        );
      },
    },
  );
  if (code !== 0) throw buildFailed(module.executable, stderr);
}

/**
 * The modules whose sources are pinned: go.sum has a line for each, beside those for their go.mod.
 * @param {string} folder
 */
function countSources(folder) {
  const lines = fs.readFileSync(path.join(folder, "go.sum"), "utf8").split("\n");
  return lines.filter((line) => line !== "" && !line.includes("/go.mod ")).length;
}

/**
 * @param {string} executable
 * @param {string} log
 */
function buildFailed(executable, log) {
  const told = log
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("go: downloading ") && !PACKAGE_LINE.test(line))
    .slice(-LOG_LINES_SHOWN)
    .map((line) => `  ${line}`);
  return new ToolError(
    [
      `Building ${executable} with Go failed:`,
      ...told,
      "Or install Pulumi yourself and try again:",
      `  ${INSTALL_COMMAND}`,
    ].join("\n"),
  );
}

module.exports = { buildEngine };
