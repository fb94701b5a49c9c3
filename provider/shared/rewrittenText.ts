import { getOrMake } from "./getOrMake";
import { plainLabel } from "./label";

/** A value as services may write it: in any letters, and with anything else between these. */
interface Loose {
  /** With which it begins in any case. */
  head: string;
  letters: readonly string[];
  /** For each count of letters that fit, how many of the last of them begin the value anew. */
  falls: readonly number[];
}

const known = new Map<string, Loose>();

/** Fewer letters are also those of ordinary words. */
const leastCut = 12;
/** More between two letters is no separator. */
const widestGap = 3;
const headLength = 6;
const shortest = 4;

/**
 * Takes values out of a text where a service has written them in its own way, or has cut them. A short one goes only where it stands by itself; a
 * plain word only in quotes. Each letter is looked at once for each value.
 */
export function redactRewritten(
  text: string,
  values: readonly string[],
  isPlainWord: (value: string) => boolean,
): string {
  const plain = values.length > 0 ? plainLabel(text) : "";
  const isLikely = (value: string) => {
    const { head, letters } = loosely(value);
    return letters.length >= shortest && plain.includes(head);
  };
  const likely = values.filter(isLikely);
  if (likely.length === 0) return text;
  const shown = lettersIn(text);
  return without(
    text,
    likely.flatMap((value) => spansOf(loosely(value), text, shown, isPlainWord(value))),
  );
}

function loosely(value: string): Loose {
  return getOrMake(known, value, () => looseOf(value));
}

type Span = readonly [start: number, end: number];

/** Where the text has it, or how it begins. */
function spansOf({ letters, falls }: Loose, text: string, shown: readonly Letter[], isWord: boolean): Span[] {
  const spans: Span[] = [];
  let count = 0;
  for (let next = 0; next <= shown.length; next++) {
    const letter = shown[next];
    const fits = () => letter !== undefined && letters[count] === letter.plain && !(count > 0 && letter.isFar);
    const [first, last] = count > 0 && !fits() ? [shown[next - count], shown[next - 1]] : [];
    if (first && last) {
      const isAll = count === letters.length;
      const isInQuotes = text[first.start - 1] === '"' && text[last.end] === '"';
      const isByItself = !first.isInside && !letter?.isInside;
      const isLong = last.end - first.start >= leastCut;
      if (isWord ? isAll && isInQuotes : isLong || (isAll && isByItself)) spans.push([first.start, last.end]);
    }
    while (count > 0 && !fits()) count = letter?.isFar ? 0 : (falls[count - 1] ?? 0);
    if (fits()) count++;
  }
  return spans;
}

interface Letter {
  plain: string;
  start: number;
  end: number;
  /** Whether it follows another one immediately. */
  isInside: boolean;
  /** Whether it is too far from the one before it. */
  isFar: boolean;
}

function lettersIn(text: string): Letter[] {
  let before = Number.NEGATIVE_INFINITY;
  const found: Letter[] = [];
  for (const { 0: letter, index: start } of text.matchAll(/[\p{L}\p{N}]/gu)) {
    const end = start + letter.length;
    found.push({
      plain: plainLabel(letter),
      start,
      end,
      isInside: before === start,
      isFar: start - before > widestGap,
    });
    before = end;
  }
  return found;
}

function looseOf(value: string): Loose {
  const letters = [...value.matchAll(/[\p{L}\p{N}]/gu)].map(([letter]) => plainLabel(letter));
  const falls = [0];
  for (let at = 1, count = 0; at < letters.length; at++) {
    while (count > 0 && letters[at] !== letters[count]) count = falls[count - 1] ?? 0;
    if (letters[at] === letters[count]) count++;
    falls.push(count);
  }
  return { head: letters.slice(0, headLength).join(""), letters, falls };
}

function without(text: string, spans: readonly Span[]): string {
  let [clean, end] = ["", 0];
  for (const [start, next] of [...spans].sort(([one], [other]) => one - other)) {
    if (start >= end) clean += `${text.slice(end, start)}[redacted]`;
    end = Math.max(end, next);
  }
  return clean + text.slice(end);
}
