import type { Values } from "../lifecycle";

const key = "timeouts";

/** The values with the time that `customTimeouts` give an operation. What the input `timeouts` says takes precedence. */
export function withTimeout(values: Values, operation: "create" | "delete", seconds: number): Values {
  if (!(seconds > 0)) return values;
  const given = values[key];
  const own = typeof given === "object" && given !== null ? given : {};
  return { ...values, [key]: { [operation]: seconds, ...own } };
}

/** The outputs without it: the state keeps what the program wrote. */
export function withoutTimeout(outputs: Values, given: Values): Values {
  const { [key]: _, ...rest } = outputs;
  return given[key] === undefined ? rest : { ...rest, [key]: given[key] };
}
