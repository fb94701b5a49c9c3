/** What is started for every command, each as one file: that is read and parsed in half the time. */
const fs = require("node:fs");
const path = require("node:path");
const { root } = require("./paths");

const NAME = "pulumi-resource-gpufleet";

/**
 * Left to itself, V8 lets the part of its heap for what was just made grow with everything that is loaded, and never gives it back:
 * said before anything is.
 */
const SMALL_HEAP = 'require("node:v8").setFlagsFromString("--semi-space-growth-factor=1");';

/**
 * Parts of Pulumi's SDK that only programs use: how functions are written as text, and how the command is driven. They would bring
 * a compiler and a package manager with them.
 * @type {import("esbuild").Plugin}
 */
const withoutUnused = {
  name: "without-unused",
  setup: (build) => {
    const unused = /@pulumi[\\/]pulumi[\\/](runtime[\\/]closure[\\/]|automation[\\/]|typescript-shim).*\.js$/;
    build.onLoad({ filter: unused }, () => ({ contents: "module.exports = {};" }));
    // zod's messages in fifty languages: a third of what would be parsed at every start. Ours are English.
    build.onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.c?js$/ }, () => ({
      contents: 'exports.en = require("./en.cjs").default;',
    }));
    // The SDK keeps to itself what runs a component; it lends only the whole server, which is not ours.
    build.onLoad({ filter: /@pulumi[\\/]pulumi[\\/]provider[\\/]server\.js$/ }, ({ path: file }) => ({
      contents: `${fs.readFileSync(file, "utf8")}\nexports.Server = Server;\n`,
    }));
  },
};

/** @param {import("esbuild").BuildOptions} options */
async function bundle(options) {
  const { build } = require("esbuild");
  await build({
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    // Less to read and to parse at every start. Names stay as they are: errors are called by theirs, and with short ones, given back
    // their names one by one as everything is made, the plugin takes 15 MB more.
    minifyWhitespace: true,
    minifySyntax: true,
    logLevel: "error",
    ...options,
  });
}

/**
 * What the dynamic resources load: all of provider/, and beside it the packages that the user has.
 * @param {string} dist the folder with the compiled sources
 */
async function bundleProvider(dist) {
  await bundle({
    entryPoints: [path.join(dist, "provider", "index.js")],
    outfile: path.join(dist, "dynamicProvider.js"),
    packages: "external",
  });
}

/**
 * The plugin, which needs nothing but Node, so that the engine can start it wherever it is put.
 * @param {string} dist the folder with the compiled sources
 */
async function bundlePlugin(dist) {
  const { version } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
  const outfile = path.join(dist, "plugin", NAME);
  await bundle({
    entryPoints: [path.join(dist, "plugin", "main.js")],
    outfile,
    nodePaths: [path.join(root, "node_modules")],
    banner: { js: `#!/usr/bin/env node\n${SMALL_HEAP}` },
    define: {
      PLUGIN_SCHEMA: JSON.stringify(fs.readFileSync(path.join(root, "schema.json"), "utf8")),
      PLUGIN_VERSION: JSON.stringify(version),
    },
    plugins: [withoutUnused],
  });
  // What only the plugin loads is in its file, and nowhere else: the package does not bring the modules for it.
  for (const file of fs.readdirSync(path.dirname(outfile)).filter((name) => name !== NAME)) {
    fs.rmSync(path.join(dist, "plugin", file));
  }
  fs.rmSync(path.join(dist, "provider", "fronts", "plugin"), { recursive: true });
  fs.chmodSync(outfile, 0o755);
  fs.writeFileSync(`${outfile}.cmd`, `@node "%~dp0${NAME}" %*\r\n`);
}

module.exports = { bundlePlugin, bundleProvider };
