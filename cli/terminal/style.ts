import { styleText } from "node:util";

/** Colours and weights for a terminal, and none elsewhere. See no-color.org. */
export type Style = "bold" | "dim" | "red" | "green" | "yellow";
export type Paint = (style: Style, text: string) => string;

export function paintFor(stream: { isTTY?: boolean }, environment: NodeJS.ProcessEnv = process.env): Paint {
  return wantsColor(stream, environment) ? (style, text) => styleText(style, text) : (_, text) => text;
}

function wantsColor({ isTTY }: { isTTY?: boolean }, { NO_COLOR, FORCE_COLOR, TERM }: NodeJS.ProcessEnv): boolean {
  if (NO_COLOR) return false;
  if (FORCE_COLOR) return FORCE_COLOR !== "0";
  return isTTY === true && TERM !== "dumb";
}
