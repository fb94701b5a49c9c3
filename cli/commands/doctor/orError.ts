/** The result, or the error in its place. */
export function orError<Result>(work: Promise<Result>): Promise<Result | Error> {
  return work.catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
}
