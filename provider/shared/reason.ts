/** Deep enough for every shape seen in the field, and no deeper. */
const deepest = 4;
const mostDetails = 5;

/** The reason in a parsed error body, or undefined where it has none of the known shapes. */
export function reasonIn(body: unknown, depth = deepest): string | undefined {
  if (typeof body === "string") return body.trim() === "" ? undefined : body;
  if (typeof body !== "object" || body === null || depth === 0) return undefined;
  if (Array.isArray(body)) return reasonInList(body, depth);
  const field = (name: string) => reasonIn(Object.getOwnPropertyDescriptor(body, name)?.value, depth - 1);
  const message =
    field("message") ?? field("msg") ?? field("detail") ?? field("error") ?? field("errors") ?? field("title");
  if (message === undefined) return field("error_code") ?? field("code");
  const place = field("loc");
  const code = field("error_code");
  const placed = place === undefined ? message : `${place}: ${message}`;
  return code === undefined ? placed : `${placed} (${code})`;
}

function reasonInList(list: readonly unknown[], depth: number): string | undefined {
  // `loc` is a path, everything else a list of reasons.
  const isPath = list.every((item) => typeof item === "number" || (typeof item === "string" && /^\w+$/.test(item)));
  if (isPath) return list.length === 0 ? undefined : list.slice(0, mostDetails).join(".");
  const reasons = list.slice(0, mostDetails).flatMap((item) => reasonIn(item, depth - 1) ?? []);
  return reasons.length === 0 ? undefined : reasons.join("; ");
}
