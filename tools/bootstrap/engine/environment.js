/**
 * The environment in which the engine runs here: offline, on a local state, away from the user's own Pulumi login and
 * GPU account.
 */
const path = require("node:path");

/**
 * @typedef {object} EngineHome
 * @property {string} engine the folder of the executables
 * @property {string} home what Pulumi keeps for itself: plugins, logs, the selected stack
 * @property {string} backend the folder of the state
 */

/** Protects nothing: local states hold no secret of a real account, and the passphrase must be the same at every run. */
const PASSPHRASE = "local";

/**
 * Only what Pulumi itself reads.
 * @param {EngineHome} options
 */
function pulumiVariables({ home, backend }) {
  return {
    PULUMI_HOME: home,
    PULUMI_BACKEND_URL: `file://${backend}`,
    PULUMI_CONFIG_PASSPHRASE: PASSPHRASE,
    PULUMI_SKIP_UPDATE_CHECK: "true",
    // Everything it may need is in the engine's folder; without this it looks for downloads.
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
  };
}

/**
 * @param {EngineHome} options
 * @param {NodeJS.ProcessEnv} [base]
 * @returns {NodeJS.ProcessEnv} `base` without the user's settings for Pulumi and for this provider, plus ours
 */
function engineEnvironment(options, base = process.env) {
  const own = Object.entries(base).filter(([name]) => !/^(PULUMI|GPUFLEET)_/.test(name));
  return {
    ...Object.fromEntries(own),
    ...pulumiVariables(options),
    PATH: [options.engine, base.PATH].filter(Boolean).join(path.delimiter),
  };
}

module.exports = { engineEnvironment, pulumiVariables };
