import { exitCodes } from "../../options";
import { complain, statusLine, withoutKeys, write } from "../../terminal";
import { type CommentRequest, composeComment } from "./compose";
import { postComment } from "./post";

export interface Flags extends CommentRequest {
  post?: boolean;
}

export async function run(flags: Flags): Promise<void> {
  const { text: composed, refused } = await composeComment(flags);
  const text = withoutKeys(composed);
  write(text);
  if (flags.post) {
    const done = await statusLine.during("Posting the comment…", () => postComment(text, process.env));
    complain(`gpufleet comment: ${done}`);
  }
  for (const reason of refused) complain(`gpufleet comment: refused: ${reason}`);
  if (refused.length > 0) process.exitCode = exitCodes.found;
}
