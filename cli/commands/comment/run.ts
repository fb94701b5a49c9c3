import { exitCodes } from "../../options";
import { statusLine } from "../../terminal";
import { type CommentRequest, composeComment } from "./compose";
import { postComment } from "./post";

export interface Flags extends CommentRequest {
  post?: boolean;
}

export async function run(flags: Flags): Promise<void> {
  const { text, refused } = await composeComment(flags);
  process.stdout.write(text);
  if (flags.post) {
    const done = await statusLine.during("Posting the comment…", () => postComment(text, process.env));
    console.error(`gpufleet comment: ${done}`);
  }
  for (const reason of refused) console.error(`gpufleet comment: refused: ${reason}`);
  if (refused.length > 0) process.exitCode = exitCodes.found;
}
