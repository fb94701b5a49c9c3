import { cleanText } from "../../../provider/shared/cleanText";
import { longestName, type Voice } from "../../preview";

/**
 * Texts from elsewhere in Markdown. Names, labels and messages are whatever somebody wrote: inside code nothing of it is
 * markup, a link, a mention or a reference to an issue.
 */

/** A code span that holds the text whatever is in it. */
export function code(text: string, max = longestName): string {
  const shown = cleanText(text, { max }) || " ";
  const longest = Math.max(0, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  const pad = longest > 0 ? " " : "";
  return `${fence}${pad}${shown}${pad}${fence}`;
}

/** As it is where nothing in it can mean anything to Markdown, else as code. */
export function word(text: string): string {
  return /^[A-Za-z0-9](?:[A-Za-z0-9 .,×-]*[A-Za-z0-9])?$/.test(text) && !/www\./i.test(text) ? text : code(text);
}

/** The same inside a table, where a bar ends the cell even in code. */
export function cell(text: string): string {
  return word(text).replaceAll("|", "\\|");
}

export const inMarkdown: Voice = { name: (text) => code(text), word };
