/** The engine built from its pinned Go modules: the way that needs nothing but Go and a module proxy. */
const path = require("node:path");
const { ToolError, run } = require("../command");
const { withProgress } = require("../progress");
const { copyLauncher } = require("./launcher");
const { GO_MODULES, INSTALL_COMMAND, VERSION } = require("./pins");

const LOG_LINES_SHOWN = 15;

/**
 * @param {string} go
 * @param {string} folder
 * @param {NodeJS.ProcessEnv} env
 * @param {import("../progress").Say} say
 */
async function buildEngine(go, folder, env, say) {
  say(`building Pulumi ${VERSION} from source with Go; about 6 minutes on two cores, once per machine`);
  for (const module of GO_MODULES) {
    let downloads = 0;
    const args = ["build", "-mod=readonly", "-buildvcs=false", "-ldflags", module.linkerFlags];
    const { code, stderr } = await withProgress(
      say,
      () => `building ${module.executable}${downloads > 0 ? `, ${downloads} modules downloaded` : ""}`,
      () =>
        run(go, [...args, "-o", path.join(folder, module.executable), module.package], {
          cwd: module.folder,
          // A go.work or GOFLAGS of the user's must not change what is built.
          env: { ...env, GOWORK: "off", GOFLAGS: "" },
          output: "capture",
          onOutput: (text) => {
            downloads += text.split("go: downloading ").length - 1;
          },
        }),
    );
    if (code !== 0) throw buildFailed(module.executable, stderr);
  }
  copyLauncher(folder);
}

/**
 * @param {string} executable
 * @param {string} log
 */
function buildFailed(executable, log) {
  const told = log
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("go: downloading "))
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
