import { cleanText } from "../../provider/shared/cleanText";

/** How texts from elsewhere are put between our words. */
export interface Voice {
  /** A name that somebody gave. */
  name(text: string): string;
  /** What the service calls something: a region, a model, a status. */
  word(text: string): string;
}

/** Names are shown up to this length. */
export const longestName = 120;

export const inPlainText: Voice = {
  name: (text) => `"${cleanText(text, { max: longestName })}"`,
  word: (text) => cleanText(text, { max: longestName }),
};
