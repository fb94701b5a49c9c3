import { redactCredentials } from "../../provider/shared/cleanText";

/** Keys of accounts that this process has read. */
const keys = new Set<string>();

/** What must appear in nothing that a command writes, wherever it comes from: a service may echo it in any field. */
export function keepSecret(...secrets: readonly string[]): void {
  for (const secret of secrets) keys.add(secret);
}

/** Text that a command writes, to a terminal or to a file, without the keys that this process knows. */
export function withoutKeys(text: string): string {
  const ofEnvironment = process.env["GPUFLEET_API_KEY"]?.trim();
  return redactCredentials(text, [...keys, ...(ofEnvironment ? [ofEnvironment] : [])]);
}

/** A result of the command. Nothing else in `cli` writes to standard output. */
export function print(text: string): void {
  write(`${text}\n`);
}

/** The same without a line break behind it. */
export function write(text: string): void {
  process.stdout.write(withoutKeys(text));
}

/** What is said beside the result, on standard error. */
export function complain(text: string): void {
  console.error(withoutKeys(text));
}
