/** `npm run generate`: writes what follows from the schemas. `--check` only says what is out of date. */
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { main, ToolError } = require("../command");
const { build } = require("../build");
const { root } = require("../paths");
const { writeArgs } = require("./args");

/** Every generated file and its text. */
function generate() {
  const { handlers } = require(path.join(root, "dist", "provider"));
  return new Map([["sdk/args.ts", format("sdk/args.ts", writeArgs(handlers))]]);
}

function format(file, text) {
  const biome = path.join(root, "node_modules", ".bin", "biome");
  return execFileSync(biome, ["format", `--stdin-file-path=${file}`], { cwd: root, input: text, encoding: "utf8" });
}

function isCurrent(file, text) {
  const target = path.join(root, file);
  return fs.existsSync(target) && fs.readFileSync(target, "utf8") === text;
}

if (require.main === module) {
  main(async () => {
    await build();
    const outdated = [...generate()].filter(([file, text]) => !isCurrent(file, text));
    if (process.argv.includes("--check")) {
      if (outdated.length === 0) return;
      throw new ToolError(`Out of date: ${outdated.map(([file]) => file).join(", ")}. Run \`npm run generate\`.`);
    }
    for (const [file, text] of outdated) {
      fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
      fs.writeFileSync(path.join(root, file), text);
      console.log(`wrote ${file}`);
    }
  });
}

module.exports = { generate, isCurrent };
