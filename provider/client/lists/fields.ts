/** A field that may speak of pages: where it stands, its name in small letters and nothing else, and its value. */
export interface Field {
  place: string;
  name: string;
  value: unknown;
}

/** Where services put what they say about a list. */
const nests = [
  ...["meta", "metadata", "pagination", "paging", "page", "pageinfo", "links", "cursors"],
  ...["resultinfo", "responsemetadata", "data"],
];

/** What stands around the items of a list. */
export function fieldsOf(body: unknown): Field[] {
  const top = entriesOf(body).map(([place, value]) => ({ place, name: plainName(place), value }));
  const below = top.filter(({ name }) => nests.includes(name));
  return [
    ...top,
    ...below.flatMap((outer) =>
      entriesOf(outer.value).map(([key, value]) => ({ place: `${outer.place}.${key}`, name: plainName(key), value })),
    ),
  ];
}

/** `next_page_url`, `nextPageUrl` and `_links` are `nextpageurl` and `links`: how a name is spelled says nothing. */
function plainName(name: string): string {
  return name.toLowerCase().replace(/[^a-z]/g, "");
}

export function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}
