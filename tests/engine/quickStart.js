/**
 * Loaded before everything else in the Node processes of tests on the engine: they start in half the time. Benchmark and soak
 * run without it.
 */
const fs = require("node:fs");
const Module = require("node:module");
const path = require("node:path");
const util = require("node:util");

/** What @pulumi/pulumi loads in each process, and uses for closures, tracing and automation only. Here they are loaded when they are first used. */
const LATE = [
  "typescript",
  "@npmcli/arborist",
  "@opentelemetry/exporter-zipkin",
  "@opentelemetry/instrumentation",
  "@opentelemetry/instrumentation-grpc",
  "@opentelemetry/resources",
  "@opentelemetry/sdk-trace-base",
  "@opentelemetry/sdk-trace-node",
  "./automation",
];

const pulumi = Module.createRequire(path.join(__dirname, "..", "..", "node_modules", "@pulumi", "pulumi", "index.js"));

// The language host of the tests is older than the engine, and never reads this option (tools/bootstrap/engine/pins.js).
if (process.env["PULUMI_NODEJS_TYPESCRIPT"] && /"typescript":false/.test(read("Pulumi.yaml")))
  delete process.env["PULUMI_NODEJS_TYPESCRIPT"];

// Node 20 takes half a minute to color a stack with a file that lies directly in a scope, as source maps name those of @pulumi/pulumi.
const { inspect } = util;
util.inspect = Object.assign(
  /** @type {(value: unknown, options?: object) => string} */
  (value, options) => inspect(value, { ...options, colors: false }),
  inspect,
);

for (const name of LATE) {
  const file = pulumi.resolve(name);
  const late = new Module(file);
  late.loaded = true;
  late.exports = withLateLoad(() => {
    delete require.cache[file];
    return require(file);
  });
  require.cache[file] = late;
}

/** @param {() => any} load */
function withLateLoad(load) {
  /** @type {any} */
  let loaded;
  const now = () => {
    loaded ??= load();
    return loaded;
  };
  return new Proxy(
    {},
    {
      // As a module of its own kind it is not copied by who imports it, which would load it.
      get: (_, name) => (name === "__esModule" ? true : now()[name]),
      has: (_, name) => name in now(),
      ownKeys: () => Reflect.ownKeys(now()),
      getOwnPropertyDescriptor: (_, name) => {
        const descriptor = Reflect.getOwnPropertyDescriptor(now(), name);
        return descriptor && { ...descriptor, configurable: true };
      },
    },
  );
}

/** @param {string} file */
function read(file) {
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "";
}
