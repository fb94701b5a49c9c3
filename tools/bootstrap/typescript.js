/** Lets this process load TypeScript; with `node --require`, from its first file on. Types are checked by `npm run check`. */
require("ts-node").register({
  transpileOnly: true,
  swc: true,
  skipProject: true,
  compilerOptions: { target: "es2022", module: "commonjs", esModuleInterop: true },
});
