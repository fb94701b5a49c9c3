/** Prints the result of a process that is to exit then: what a pipe has not taken by that time is lost. */
export function printWhole(result: unknown): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(JSON.stringify(result), (error) => (error ? reject(error) : resolve()));
  });
}
