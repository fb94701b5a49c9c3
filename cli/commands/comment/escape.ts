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
  return isPlain(text) ? text : code(text);
}

function isPlain(text: string): boolean {
  return /^[A-Za-z0-9](?:[A-Za-z0-9 .,×-]*[A-Za-z0-9])?$/.test(text) && !/www\./i.test(text);
}

/** A code span inside a table, where a bar ends the cell even in code. */
export function codeInCell(text: string, max = longestName): string {
  // A backslash before it would itself be escaped by the one that is to escape the bar.
  const bar = text.includes("\\") ? "¦" : "\\|";
  return code(text, max).replaceAll("|", bar);
}

export function wordInCell(text: string): string {
  return isPlain(text) ? text : codeInCell(text);
}

/** Code inside an HTML block, such as a `<summary>`, where Markdown does not count. */
export function codeInHtml(text: string): string {
  const shown = cleanText(text, { max: longestName }) || " ";
  const escaped = shown.replace(/[^A-Za-z0-9 .,×_-]/gu, (character) => `&#${character.codePointAt(0)};`);
  return `<code>${escaped}</code>`;
}

export const inMarkdown: Voice = { name: (text) => code(text), word };
export const inCell: Voice = { name: (text) => codeInCell(text), word: wordInCell };
export const inHtml: Voice = { name: codeInHtml, word: (text) => (isPlain(text) ? text : codeInHtml(text)) };
