/**
 * `npm run soak:mutants`: plants each known bug in a copy of the sources and runs the harness there. Exits with 1 if one of
 * them goes unnoticed. With names or parts of names, only those.
 */
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { main, run, ToolError } = require("../../../tools/bootstrap/command");
const { root } = require("../../../tools/bootstrap/paths");
const { plantedBugs } = require("./plantedBugs");

const copied = [
  "provider",
  "emulator",
  "sdk",
  "cli",
  "tests/faults",
  "tests/lifecycle",
  "tests/client",
  "tools",
  "package.json",
];
/** The oracle first; the tests that know what they look for come last. */
const stages = [
  { name: "random schedules", file: "tests/faults/schedules/randomSchedules" },
  { name: "a fault by number", file: "tests/faults/numbered" },
  { name: "single faults", file: "tests/faults/schedules/singleFaults" },
];

main(async () => {
  const wanted = process.argv.slice(2);
  const bugs = plantedBugs.filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)));
  const copy = fs.mkdtempSync(path.join(os.tmpdir(), "gpufleet-mutants-"));
  let unnoticed = 0;
  try {
    makeCopy(copy);
    const before = await noticedBy(copy);
    if (before !== undefined) throw new ToolError(`the harness fails without any planted bug, by ${before}`);
    for (const [index, bug] of bugs.entries()) {
      const by = await planted(copy, bug, () => noticedBy(copy));
      if (by === undefined) unnoticed += 1;
      process.stdout.write(`${index + 1}/${bugs.length} ${bug.name}: ${by ? `noticed by ${by}` : "NOT NOTICED"}\n`);
    }
  } finally {
    fs.rmSync(copy, { recursive: true, force: true });
  }
  process.stdout.write(`${bugs.length - unnoticed} of ${bugs.length} planted bugs were noticed\n`);
  return unnoticed === 0 ? 0 : 1;
});

/** @param {string} copy */
function makeCopy(copy) {
  for (const part of copied) fs.cpSync(path.join(root, part), path.join(copy, part), { recursive: true });
  fs.symlinkSync(path.join(root, "node_modules"), path.join(copy, "node_modules"));
  const transform = { "^.+\\.ts$": ["@swc/jest", { jsc: { parser: { syntax: "typescript" }, target: "es2022" } }] };
  fs.writeFileSync(path.join(copy, "jest.config.json"), JSON.stringify({ testEnvironment: "node", transform }));
}

/**
 * @template Result
 * @param {string} copy
 * @param {import("./plantedBugs").PlantedBug} bug
 * @param {() => Promise<Result>} work
 * @returns {Promise<Result>}
 */
async function planted(copy, { file, find, replace }, work) {
  const target = path.join(copy, file);
  const source = fs.readFileSync(target, "utf8");
  if (source.split(find).length !== 2) throw new Error(`${file} does not hold this exactly once: ${find}`);
  fs.writeFileSync(
    target,
    source.replace(find, () => replace),
  );
  try {
    return await work();
  } finally {
    fs.writeFileSync(target, source);
  }
}

/**
 * @param {string} copy
 * @returns {Promise<string | undefined>}
 */
async function noticedBy(copy) {
  const jest = path.join(copy, "node_modules", "jest", "bin", "jest.js");
  for (const { name, file } of stages) {
    const { code } = await run(
      process.execPath,
      [jest, "--config", "jest.config.json", "--bail", "--maxWorkers=2", file],
      {
        cwd: copy,
        output: "capture",
        env: { ...process.env, GPUFLEET_FAULT_SHRINK: "no" },
      },
    );
    if (code !== 0) return name;
  }
  return undefined;
}
