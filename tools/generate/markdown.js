/** The few forms of Markdown that the pages are made of. */

/**
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} rows
 */
function table(head, rows) {
  const line = (/** @type {readonly string[]} */ cells) => `| ${cells.map(cell).join(" | ")} |\n`;
  return line(head) + line(head.map(() => "---")) + rows.map(line).join("");
}

/** @param {string} text */
function cell(text) {
  return text
    .replaceAll("|", "\\|")
    .replaceAll(/\s*\n\s*/g, " ")
    .trim();
}

/** @param {string} text */
function code(text) {
  return text === "" ? "" : `\`${text}\``;
}

/** @param {string} language @param {string} text */
function block(language, text) {
  return `\`\`\`${language}\n${text.trim()}\n\`\`\`\n`;
}

/** @param {string} from what the page is written from */
function header(from) {
  return `<!-- Written by \`npm run generate\` from ${from}. Do not edit. -->\n\n`;
}

module.exports = { block, code, header, table };
