import { createProgress } from "../../tools/bootstrap/progress";

/** What is shown of this work, on a stream of this kind. */
function shown(isTTY: boolean, shares: readonly number[], columns = 80) {
  const written: string[] = [];
  const said: string[] = [];
  let time = 0;
  const progress = createProgress("Engine", {
    say: (text) => said.push(text),
    stream: { isTTY, columns, write: (text) => written.push(text) },
    now: () => time,
  });
  for (const share of shares) {
    time += 60_000;
    progress.show(share, `at ${share}`);
  }
  progress.done();
  progress.stop();
  return { written, said };
}

const steps = Array.from({ length: 100 }, (_, index) => index / 100);

describe("Progress of work whose size is known", () => {
  test("is a line for every quarter where there is no terminal, and ends at 100%", () => {
    const { said, written } = shown(false, steps);
    expect(said).toEqual([
      "25%  at 0.25, 26 min 00 s",
      "50%  at 0.5, 51 min 00 s",
      "75%  at 0.75, 76 min 00 s",
      "100%  done, 100 min 00 s",
    ]);
    expect(written).toEqual([]);
  });

  test("is one bar on a terminal, drawn over itself, which is full at the end", () => {
    const { said, written } = shown(true, [0, 0.5]);
    expect(said).toEqual([]);
    expect(written).toEqual([
      `\r\u001b[2KEngine        ${"░".repeat(24)}   0%  at 0, 1 min 00 s`,
      `\r\u001b[2KEngine        ${"█".repeat(12)}${"░".repeat(12)}  50%  at 0.5, 2 min 00 s`,
      `\r\u001b[2KEngine        ${"█".repeat(24)} 100%  done, 2 min 00 s`,
      "\n",
    ]);
  });

  test("never goes back, and is not full before it is done", () => {
    const { written } = shown(true, [0.6, 0.2, 1]);
    expect(written.map((line) => /(\d+)%/.exec(line)?.[1])).toEqual(["60", "60", "99", "100", undefined]);
  });

  test("fits on its line", () => {
    const { written } = shown(true, [0.5], 40);
    for (const line of written) expect(line.replace("\r\u001b[2K", "").length).toBeLessThan(40);
  });
});
