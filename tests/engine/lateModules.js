/**
 * Loaded before everything else in the Node processes of tests on the engine. @pulumi/pulumi loads the TypeScript compiler and npm's
 * tree of packages in each of them, two thirds of its start, and uses both for closures only, which resources with handlers do not
 * have. Here they are loaded when they are first used.
 */
const Module = require("node:module");
const path = require("node:path");

const pulumi = Module.createRequire(path.join(__dirname, "..", "..", "node_modules", "@pulumi", "pulumi", "index.js"));

for (const name of ["typescript", "@npmcli/arborist"]) {
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
