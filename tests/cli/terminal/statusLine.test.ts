import { StatusLine } from "../../../cli/terminal";

function createScreen({ isTTY = true, columns = 80 } = {}) {
  const written: string[] = [];
  const line = new StatusLine({ isTTY, columns, write: (text: string) => written.push(text) });
  /** What stands on the line after each write. */
  const shown = () => written.map((text) => text.replace("\r\u001b[2K", ""));
  return { line, written, shown };
}

describe("The status line", () => {
  test("shows what is waited for, and is cleared when that is done", async () => {
    const { line, shown } = createScreen();
    expect(await line.during("Listing storage volumes…", async () => 7)).toBe(7);
    expect(shown()).toEqual(["Listing storage volumes…", ""]);
  });

  test("shows something on a terminal that does not know its width", async () => {
    const { line, shown } = createScreen({ columns: 0 });
    await line.during("Listing storage volumes…", async () => undefined);
    expect(shown()).toEqual(["Listing storage volumes…", ""]);
  });

  test("writes nothing where there is no terminal", async () => {
    const { line, written } = createScreen({ isTTY: false });
    expect(await line.during("Listing storage volumes…", async () => 7)).toBe(7);
    expect(written).toEqual([]);
  });

  test("goes back to the wait that is left when another one is done", async () => {
    const { line, shown } = createScreen();
    await line.during("one", () => line.during("other", async () => undefined));
    expect(shown()).toEqual(["one", "other", "one", ""]);
  });

  test("is cleared before an error is printed, whatever else is waited for", async () => {
    const { line, shown } = createScreen();
    let finish = () => {};
    const slow = line.during("slow", () => new Promise<void>((resolve) => (finish = resolve)));
    await expect(line.during("failing", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(shown().at(-1)).toBe("");
    finish();
    await slow;
    expect(shown().at(-1)).toBe("");
  });

  test("counts down, and is no wider than the terminal", async () => {
    jest.useFakeTimers();
    const { line, shown } = createScreen({ columns: 11 });
    let left = 3;
    let finish = () => {};
    const wait = line.during(
      () => `${left--}s left of a long time`,
      () => new Promise<void>((resolve) => (finish = resolve)),
    );
    jest.advanceTimersByTime(2000);
    expect(shown()).toEqual(["3s left of", "2s left of", "1s left of"]);
    finish();
    await wait;
    jest.useRealTimers();
    expect(shown().at(-1)).toBe("");
  });
});
