import { stripVTControlCharacters } from "node:util";

/** How many columns a text takes on a terminal; colours take none. */
export function width(text: string): number {
  return [...stripVTControlCharacters(text)].length;
}
