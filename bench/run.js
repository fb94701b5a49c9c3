/**
 * `npm run bench`: us and two peers on the same emulator and the real engine, in one run. Prints a table of ratios, writes it
 * into docs/performance.md, and exits with 1 when a goal is missed. `--quick` takes fewer and smaller samples, to try the
 * benchmark itself; `--only NAME` runs one part.
 */
const { ToolError, main } = require("../tools/command");
const { announce } = require("../tools/progress");
const { setUp } = require("../tools/setup");
const engineParts = require("./engineParts");
const processParts = require("./processParts");
const { writeReport } = require("./report");

const parts = { ...processParts, ...engineParts };

main(async () => {
  const quick = process.argv.includes("--quick");
  const only = process.argv[process.argv.indexOf("--only") + 1];
  const chosen = process.argv.includes("--only") ? { [only ?? ""]: parts[only ?? ""] } : parts;
  if (Object.values(chosen).includes(undefined)) throw new ToolError(`parts: ${Object.keys(parts).join(", ")}`);
  const { engine } = await setUp();
  process.env.PATH = `${engine}:${process.env.PATH}`;
  const context = { engine, rounds: quick ? 1 : 5, size: quick ? 20 : 200, quick, say: announce("Bench") };
  const rows = [];
  for (const [name, part] of Object.entries(chosen)) {
    context.say(name);
    rows.push(...(await part(context)));
  }
  const whole = !quick && chosen === parts;
  process.stdout.write(`${await writeReport(rows, { engine, save: whole })}\n`);
  return rows.every((row) => row.met) ? 0 : 1;
});
