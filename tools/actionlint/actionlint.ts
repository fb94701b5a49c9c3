/** The checker of GitHub workflows, built from its pinned Go module. */
import { join } from "node:path";
import { run } from "../bootstrap/command";
import { getGoTool } from "../goTool/goTool";

/** `node tools/bootstrap/run.js tools/actionlint/actionlint.ts [FILE…]`: checks these workflows, or those of the checkout. */
export async function main(args: string[]): Promise<number> {
  return (await run(await getActionlint(), args)).code;
}

/** The path of the executable, built first if need be. */
export async function getActionlint(env = process.env): Promise<string> {
  const name = "actionlint";
  const folder = await getGoTool(
    { name, folder: __dirname, package: "github.com/rhysd/actionlint/cmd/actionlint" },
    env,
  );
  return join(folder, name);
}
