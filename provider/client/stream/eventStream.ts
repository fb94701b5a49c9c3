/** One `data:` line of an event stream, with the name of the event that it belongs to. */
export interface EventLine {
  event: string | undefined;
  data: string;
}

/**
 * Reads an event stream line by line, from bytes cut anywhere. Each `data:` line stands for itself, since the interface speaks
 * of a sequence of lines and promises no blank ones between them. Comments and other fields are passed over.
 */
export async function* readEventLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<EventLine, void, undefined> {
  let event: string | undefined;
  for await (const line of readLines(bytes)) {
    const [, field, value] = /^(event|data)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (line === "") event = undefined;
    else if (field === "event") event = value;
    else if (field === "data") yield { event, data: value ?? "" };
  }
}

/** The last line of a stream is whole without an end, too. */
const lastLine = /^data: ?\[DONE\]$/;

/** Lines end with LF, CR or CRLF. What else follows the last end is not a line: the stream was cut there. */
async function* readLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  // Only new text is searched: a line of many small chunks must not be searched again with each of them.
  let begun: string[] = [];
  let afterReturn = false;
  for await (const chunk of bytes) {
    const decoded = decoder.decode(chunk, { stream: true });
    if (decoded === "") continue;
    const text = afterReturn && decoded.startsWith("\n") ? decoded.slice(1) : decoded;
    afterReturn = decoded.endsWith("\r");
    const lines = text.split(/\r\n|\n|\r/);
    const rest = lines.pop() ?? "";
    for (const line of lines) {
      yield begun.join("") + line;
      begun = [];
    }
    begun.push(rest);
  }
  const rest = begun.join("");
  if (lastLine.test(rest)) yield rest;
}
