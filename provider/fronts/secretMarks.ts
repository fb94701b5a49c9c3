import { askedKey, type Values } from "../lifecycle";
import { hasSecret, isSecret, secret } from "../shared/secretValue";

/**
 * Values with the marks of those that they follow from: what is secret under a name stays secret under it. The engine does this
 * itself for plugins that accept no secrets; one that constructs components has to accept them.
 */
export function withMarksOf(marked: Values, values: Values): Values {
  const entries = Object.entries(values).map(([key, value]) => [key, markedAs(marked[key], value)]);
  return withAskedMarks(marked, Object.fromEntries(entries));
}

/** The same for what was asked for and has turned out otherwise, of which the engine knows nothing. */
export function withAskedMarks(marked: Values, values: Values): Values {
  const asked = values[askedKey];
  if (!isObject(asked) || isSecret(asked)) return values;
  return { ...values, [askedKey]: withMarksOf(marked, asked) };
}

/** What is a secret from now on, and was written in clear before. */
export function hiddenSince(olds: Values, news: Values): string[] {
  return Object.keys(news).filter((key) => hasSecret(news[key]) && olds[key] !== undefined && !hasSecret(olds[key]));
}

function markedAs(model: unknown, value: unknown): unknown {
  if (!hasSecret(model) || (isObject(value) && isSecret(value))) return value;
  if (isObject(model) && !isSecret(model) && isObject(value)) return withMarksOf(model, value);
  return secret(value);
}

function isObject(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
