/**
 * `npm run golden [-- SCENARIO…]`: makes the previews in this folder anew with the real engine, and the comments over them.
 * `npm run golden -- --comments` writes only the comments, from the previews that are there.
 */
import { parseArgs } from "node:util";
import { setUp } from "../../tools/bootstrap/setUp";
import { makeGolden } from "./makeGolden";

export async function main(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    options: { comments: { type: "boolean", default: false } },
    allowPositionals: true,
  });
  const { engine } = await setUp();
  process.env["GPUFLEET_ENGINE"] = engine;
  await makeGolden({ names: positionals, commentsOnly: values.comments });
}
