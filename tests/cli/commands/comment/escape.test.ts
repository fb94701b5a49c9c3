import fc from "fast-check";
import { code, codeInCell, codeInHtml, word, wordInCell } from "../../../../cli/commands/comment/escape";
import { markerOf } from "../../../../cli/commands/comment/marker";

/** A code span as CommonMark reads it: from a run of backticks to the next run of the same length. */
function readSpan(markdown: string): { content: string; rest: string } {
  const [fence = ""] = /^`+/.exec(markdown) ?? [];
  const closing = new RegExp(`(?<!\`)${fence}(?!\`)`, "g");
  closing.lastIndex = fence.length;
  const end = closing.exec(markdown)?.index ?? -1;
  return { content: markdown.slice(fence.length, end), rest: markdown.slice(end + fence.length) };
}

describe("Text from elsewhere", () => {
  test("stays within its code span, whatever it is", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("`", "``", "a", " ", "|", "<b>", "@x", "\n", "\\", "*") }),
        (text) => {
          const { content, rest } = readSpan(code(text));
          expect(rest).toBe("");
          expect(content).not.toMatch(/\n/);
        },
      ),
    );
  });

  test("stands as it is only where it is nothing but a plain word", () => {
    for (const plain of ["h100", "us-central-1", "8×h100 in us-central-1", "A100-80GB", "2048 GB"])
      expect(word(plain)).toBe(plain);
    for (const text of ["@everyone", "<b>", "a_b_", "www.evil.example", "#1", "a|b", "[x](y)", "-x", "a*"]) {
      expect(word(text)).toBe(`\`${text}\``);
    }
  });

  test("does not end a cell of a table", () => {
    expect(wordInCell("a|b")).toBe("`a\\|b`");
    expect(codeInCell("a|b")).toBe("`a\\|b`");
    // Escaped by one backslash more, the bar would end the cell after all.
    expect(codeInCell("a\\|b")).toBe("`a\\¦b`");
  });

  test("is nothing but text in a block of HTML", () => {
    expect(codeInHtml("node-1")).toBe("<code>node-1</code>");
    expect(codeInHtml("</summary>`@x`&\n\n# y")).toBe(
      "<code>&#60;&#47;summary&#62;&#96;&#64;x&#96;&#38; &#35; y</code>",
    );
  });

  test("does not end the marker's HTML comment", () => {
    expect(markerOf({ project: "a-->b", stack: "x--!>" })).toBe("<!-- gpufleet-comment a-%2D%3Eb/x-%2D!%3E -->");
  });
});
