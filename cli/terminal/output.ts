import { redactCredentials, redactValues } from "../../provider/shared/cleanText";

/** Keys of accounts that this process has read. */
const keys = new Set<string>();

/** What must appear in nothing that a command writes, wherever it comes from: a service may echo it in any field. */
export function keepSecret(...secrets: readonly string[]): void {
  for (const secret of secrets) keys.add(secret);
}

/** The keys of accounts that this process knows. */
export function knownKeys(): string[] {
  const ofEnvironment = process.env["GPUFLEET_API_KEY"]?.trim();
  return [...keys, ...(ofEnvironment ? [ofEnvironment] : [])];
}

/** Values that this process has decrypted. */
const values = new Set<string>();

/** The same for what is secret only because the program says so: a label, a region. */
export function keepValues(...secrets: readonly string[]): void {
  for (const secret of secrets) values.add(secret);
}

/** Text that a command writes, to a terminal or to a file, without the keys and the secret values that this process knows. */
export function withoutKeys(text: string): string {
  return redactValues(redactCredentials(text, knownKeys()), [...values]);
}

/** What steers a terminal, or turns the direction of a line. */
const steering = /\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu;
/** A style, as this command sets it; the escape character stands before it. */
const style = /^\[\d{0,2}m/;

/** Text as it may be written to a terminal: a name that the service gave must not steer it, wherever in a sentence it stands. */
export function fitForTerminal(text: string): string {
  const clean = withoutKeys(text);
  return clean.replace(steering, (character, offset: number) => {
    const isOurs =
      "\n\t".includes(character) || (character === "\u001b" && style.test(clean.slice(offset + 1, offset + 5)));
    return isOurs ? character : "";
  });
}

/** A result of the command. Nothing else in `cli` writes to standard output. */
export function print(text: string): void {
  write(`${text}\n`);
}

/** The same without a line break behind it. */
export function write(text: string): void {
  process.stdout.write(fitForTerminal(text));
}

/** What is said beside the result, on standard error. */
export function complain(text: string): void {
  console.error(fitForTerminal(text));
}
