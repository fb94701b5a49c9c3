import { readFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../../../tools/bootstrap/command";
import { root, typescript } from "../../../tools/bootstrap/paths";

/** In a process of its own: what is watched must be compiled as it is there. */
test("What runs between two questions is told, and what does not is not", async () => {
  const file = join(root, "provider/shared/duration.ts");
  const text = readFileSync(file, "utf8");
  const bodyOf = (name: string) => {
    const start = text.indexOf("return", text.indexOf(`export function ${name}(`));
    return { name, file, start, end: start + 6 };
  };
  const behind = (name: string) => {
    const start = text.indexOf(";", bodyOf(name).start) + 1;
    return { name: `behind ${name}`, file, start, end: start + 1 };
  };
  const places = [bodyOf("readDuration"), bodyOf("showDuration"), behind("showDuration")];
  const script = `
    const { Executed } = require(${JSON.stringify(join(__dirname, "executed.ts"))});
    const executed = new Executed(${JSON.stringify(places)});
    const { readDuration, showDuration } = require(${JSON.stringify(file)});
    const names = () => executed.take().places.map(({ name }) => name);
    const told = [names(), (showDuration(1000), names()), names(), (readDuration(1), readDuration("1h"), showDuration(1), names())];
    process.stdout.write(JSON.stringify(told));
  `;
  const { code, stdout, stderr } = await run(process.execPath, ["--require", typescript, "--eval", script], {
    cwd: root,
    output: "capture",
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(JSON.parse(stdout)).toEqual([
    [],
    ["showDuration", "behind showDuration"],
    [],
    ["readDuration", "showDuration", "behind showDuration"],
  ]);
});
