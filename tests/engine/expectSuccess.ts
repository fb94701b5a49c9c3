import type { Run } from "../../tools/workspace";

/** What a failed run printed is shown with the failure. */
export function expectSuccess({ code, output, summary }: Run, expected: Partial<Run["summary"]> = {}): void {
  expect({ code, problem: code === 0 ? "" : output, ...summary }).toMatchObject({ code: 0, problem: "", ...expected });
}
