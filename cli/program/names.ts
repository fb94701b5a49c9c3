/** Names for a program that is written, each once and none of the taken ones. */
export class Names {
  private readonly taken: Set<string>;

  constructor(taken: Iterable<string> = []) {
    this.taken = new Set(taken);
  }

  /** As near to this text as a variable can be called; by the fallback where it has nothing to call it by. */
  variable(text: string, fallback: string): string {
    const words = text.split(/[^A-Za-z0-9]+/).filter(Boolean);
    const camel = words.map((word, index) => (index === 0 ? lowerFirst(word) : upperFirst(word))).join("");
    const name = /^[0-9]/.test(camel) ? `${fallback}${camel}` : camel || fallback;
    return this.unique(reserved.has(name) ? `${name}Machine` : name, "");
  }

  /** The same for the name of a resource. */
  resource(text: string, fallback: string): string {
    const plain = text
      .replace(/[^A-Za-z0-9_.-]+/g, "-")
      .replace(/^-+|-+$/g, "")
      .slice(0, longestResourceName);
    return this.unique(plain || fallback, "-");
  }

  private unique(name: string, separator: string): string {
    let unique = name;
    for (let number = 2; this.taken.has(unique); number += 1) unique = `${name}${separator}${number}`;
    this.taken.add(unique);
    return unique;
  }
}

const longestResourceName = 60;

function lowerFirst(word: string): string {
  // "GPU" is "gpu", and "nodeA" stays.
  return word === word.toUpperCase() ? word.toLowerCase() : `${word.charAt(0).toLowerCase()}${word.slice(1)}`;
}

function upperFirst(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}

/** Words of the language, and what every module has in its scope. */
const reserved = new Set(
  `abstract any arguments as async await boolean break case catch class const continue debugger declare default delete do else enum
  eval export exports extends false finally for from function get if implements import in instanceof interface is let
  module namespace never new null number object of package private protected public require return set static string super
  switch symbol this throw true try type typeof undefined unknown var void while with yield
  global globalThis process console Infinity NaN`.split(/\s+/),
);
