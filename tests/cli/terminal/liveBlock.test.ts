import { stripVTControlCharacters } from "node:util";
import { LiveBlock } from "../../../cli/terminal";

const esc = "\u001b";
const pieces = new RegExp(`${esc}\\[\\d*[A-Z]|[\\s\\S]`, "g");

/** A terminal as far as it matters: rows, a cursor, and what these sequences do to them. */
function createTerminal({ columns = 20, rows = 10 } = {}) {
  let screen: string[] = [""];
  let row = 0;
  let column = 0;
  const put = (character: string) => {
    if (column === columns) newLine();
    const line = screen[row] ?? "";
    screen[row] = `${line.slice(0, column).padEnd(column)}${character}${line.slice(column + 1)}`;
    column += 1;
  };
  function newLine() {
    row += 1;
    column = 0;
    screen[row] ??= "";
  }
  const write = (text: string) => {
    for (const [part] of text.matchAll(pieces)) {
      if (part.startsWith(esc) && part.endsWith("A")) row = Math.max(0, row - Number(part.slice(2, -1)));
      else if (part === "\u001b[K") screen[row] = (screen[row] ?? "").slice(0, column);
      else if (part === "\u001b[J") screen = [...screen.slice(0, row), (screen[row] ?? "").slice(0, column)];
      else if (part === "\r") column = 0;
      else if (part === "\n") newLine();
      else put(part);
    }
  };
  return { stream: { isTTY: true, columns, rows, write }, shown: () => screen.join("\n") };
}

describe("A live block", () => {
  test("is drawn anew in its own place, and leaves nothing of what was there", () => {
    const { stream, shown } = createTerminal();
    stream.write("$ gpufleet ls\n");
    const block = new LiveBlock(stream);
    block.draw("one, and long\ntwo\nthree");
    block.draw("1\n2");
    expect(shown()).toBe("$ gpufleet ls\n1\n2\n");
    block.draw("1\n2\n3\n4");
    expect(shown()).toBe("$ gpufleet ls\n1\n2\n3\n4\n");
  });

  test("counts the rows of a line that is wider than the window, a full row included", () => {
    const { stream, shown } = createTerminal({ columns: 5 });
    const block = new LiveBlock(stream);
    block.draw("abcdefgh\n12345\nx");
    expect(shown()).toBe("abcde\nfgh\n12345\nx\n");
    block.draw("ABCDE\nb");
    expect(shown()).toBe("ABCDE\nb\n");
  });

  test("does not count colours as width", () => {
    const written: string[] = [];
    const block = new LiveBlock({ isTTY: true, columns: 5, write: (text) => written.push(text) });
    block.draw(`${esc}[1mabcde${esc}[22m\nx`);
    block.draw("y");
    expect(written[1]).toContain(`${esc}[2A`);
    expect(stripVTControlCharacters(written[1] ?? "").trim()).toBe("y");
  });

  test("says what does not fit into the window, and can still be drawn over", () => {
    const { stream, shown } = createTerminal({ columns: 60, rows: 4 });
    const block = new LiveBlock(stream);
    block.draw("1\n2\n3\n4\n5");
    expect(shown()).toBe("1\n2\n… and 3 more lines: make the window taller to see them\n");
    block.draw("a\nb\nc");
    expect(shown()).toBe("a\nb\nc\n");
  });

  test("is one block after the other where there is no terminal", () => {
    const written: string[] = [];
    const block = new LiveBlock({ write: (text) => written.push(text) });
    block.draw("1\n2");
    block.draw("3");
    expect(written.join("")).toBe("1\n2\n\n3\n");
  });
});
