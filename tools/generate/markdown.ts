/** The few forms of Markdown that the pages are made of. */

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |\n`;
  return line(head) + line(head.map(() => "---")) + rows.map(line).join("");
}

function cell(text: string): string {
  return text
    .replaceAll("|", "\\|")
    .replaceAll(/\s*\n\s*/g, " ")
    .trim();
}

export function code(text: string): string {
  return text === "" ? "" : `\`${text}\``;
}

export function block(language: string, text: string): string {
  return `\`\`\`${language}\n${text.trim()}\n\`\`\`\n`;
}

/** Says what the page is written from. */
export function header(from: string): string {
  return `<!-- Written by \`npm run generate\` from ${from}. Do not edit. -->\n\n`;
}
