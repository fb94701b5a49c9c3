/**
 * Loaded before everything else in the Node processes of tests on the engine. @pulumi/pulumi loads the TypeScript compiler and npm's
 * tree of packages in each of them, two thirds of its start, and uses both for closures only, which resources with handlers do not
 * have. Here they are loaded when they are first used.
 */
const Module = require("node:module");

const late = ["typescript", "@npmcli/arborist"];
const ofPulumi = /[\\/]node_modules[\\/]@pulumi[\\/]pulumi[\\/]/;

/** @type {any} */
const loader = Module;
const load = loader._load;

/**
 * @param {string} request
 * @param {NodeJS.Module | undefined} parent
 * @param {boolean} isMain
 */
loader._load = (request, parent, isMain) => {
  const loadNow = () => load.call(loader, request, parent, isMain);
  return late.includes(request) && ofPulumi.test(parent?.filename ?? "") ? withLateLoad(loadNow) : loadNow();
};

/** @param {() => any} loadNow */
function withLateLoad(loadNow) {
  /** @type {any} */
  let loaded;
  return new Proxy(
    {},
    {
      get(_, name) {
        // As a module of its own kind it is not copied by who imports it, which would load it.
        if (name === "__esModule") return true;
        loaded ??= loadNow();
        return loaded[name];
      },
    },
  );
}
