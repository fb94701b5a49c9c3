/** HTML that is safe to put into a page: made by `html`, or written here. */
export class Html {
  constructor(readonly text: string) {}
}

type Value = Html | string | number | readonly Html[];

/** A template in which every value is text, unless it was made by this function itself. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(
    strings.map((string, index) => string + (index < values.length ? write(values[index] ?? "") : "")).join(""),
  );
}

function write(value: Value): string {
  if (value instanceof Html) return value.text;
  if (typeof value === "string" || typeof value === "number") return escapeText(String(value));
  return value.map(({ text }) => text).join("");
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? "");
}
