import { execFileSync } from "node:child_process";
import { root } from "../../tools/bootstrap/paths";

/** The packages that are loaded after this much of a program, run by itself: jest has a module cache of its own. */
function loadedAfter(program: string, module = "pulumi-gpufleet"): string[] {
  const script = `
    const gpufleet = require("${module}");
    ${program}
    const packages = Object.keys(require.cache).map((file) => /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(file)?.[1]);
    console.log(JSON.stringify([...new Set(packages)]));
  `;
  const env = { ...process.env, GPUFLEET_BASE_URL: "http://127.0.0.1:9" };
  return JSON.parse(execFileSync(process.execPath, ["-e", script], { cwd: root, env, encoding: "utf8" }));
}

const heavy = ["zod", "hono", "commander", "undici"];

describe("The SDK", () => {
  test.each(["pulumi-gpufleet", "pulumi-gpufleet/native"])("loads Pulumi and nothing heavier: %s", (module) => {
    const loaded = loadedAfter("", module);
    expect(loaded).toContain("@pulumi/pulumi");
    expect(loaded.filter((name) => heavy.includes(name))).toEqual([]);
  });

  test("loads what a function needs when it is called", () => {
    expect(loadedAfter("gpufleet.getBalance({ signal: AbortSignal.abort() }).catch(() => {});")).toContain("zod");
  });
});
