/** Changes the body of an answer. */
export type Edit = (body: unknown) => unknown;

/** The fields under which answers of the service hold a list. */
const listFields = ["instances", "instance_history", "history"];

/** Changes the items of a list, wherever in the answer it stands; an answer without a list stays as it is. */
export function editItems(change: (items: unknown[]) => unknown[]): Edit {
  return (body) => {
    if (Array.isArray(body)) return change(body);
    const field = listFields.find((name) => Array.isArray(valueIn(body, name)));
    const items = field === undefined ? undefined : valueIn(body, field);
    return field !== undefined && Array.isArray(items) ? { ...entriesOf(body), [field]: change(items) } : body;
  };
}

export interface Omission {
  ids?: readonly (number | string)[] | undefined;
  count?: number | undefined;
  fraction?: number | undefined;
}

/** Leaves items out: those with the ids, or the newest by number or share; all where nothing is said. */
export function omit({ ids, count, fraction }: Omission): Edit {
  return editItems((items) => {
    if (ids) return items.filter((item) => !ids.some((id) => String(id) === String(idOf(item))));
    const omitted = count ?? Math.ceil(items.length * (fraction ?? 1));
    return items.slice(0, Math.max(0, items.length - omitted));
  });
}

/** Makes one item unreadable: the one with the id, or the first. Without its id, nobody can tell whose it was. */
export function breakItem({ id, keepId }: { id?: number | string | undefined; keepId: boolean }): Edit {
  return editItems((items) => {
    const index = id === undefined ? 0 : items.findIndex((item) => String(idOf(item)) === String(id));
    return items.map((item, at) =>
      at === index ? { ...(keepId && { id: idOf(item) }), status: { broken: true } } : item,
    );
  });
}

/** Takes fields out of every record of the answer; `currentTerm.costPerHour` is one below another. */
export function dropFields(fields: readonly string[]): Edit {
  const paths = fields.map((field) => field.split("."));
  const strip = (record: unknown) => paths.reduce(withoutField, record);
  return (body) => {
    const edited = editItems((items) => items.map(strip))(body);
    return Array.isArray(edited) ? edited : strip(edited);
  };
}

function withoutField(record: unknown, [first, ...rest]: readonly string[]): unknown {
  if (first === undefined || typeof record !== "object" || record === null || Array.isArray(record)) return record;
  const entries = Object.entries(record);
  if (rest.length === 0) return Object.fromEntries(entries.filter(([name]) => name !== first));
  return Object.fromEntries(entries.map(([name, value]) => [name, name === first ? withoutField(value, rest) : value]));
}

export const reverse: Edit = editItems((items) => items.toReversed());

export interface PageRequest {
  size: number;
  /** From 1. */
  page: number;
  /** How the service says that there is more: by a link to the next page, or only by the number of all items. */
  sign: "link" | "total";
}

/** One page of the list in an answer, and the headers that go with it. */
export function pageOf(body: unknown, path: string, { size, page, sign }: PageRequest) {
  let total = 0;
  const edited = editItems((items) => {
    total = items.length;
    return items.slice((page - 1) * size, page * size);
  })(body);
  const headers: Record<string, string> = sign === "total" ? { "x-total-count": String(total) } : {};
  if (sign === "link" && page * size < total) headers["link"] = `<${path}?page=${page + 1}&size=${size}>; rel="next"`;
  return { body: edited, headers };
}

function idOf(item: unknown): unknown {
  return valueIn(item, "id") ?? valueIn(item, "instance_name");
}

function valueIn(value: unknown, name: string): unknown {
  return entriesOf(value)[name];
}

function entriesOf(value: unknown): Record<string, unknown> {
  const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
  return isRecord ? Object.fromEntries(Object.entries(value)) : {};
}
