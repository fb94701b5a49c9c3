import { type UndocumentedName, type UndocumentedOperation, undocumentedOperations } from "../../service";

/** An operation as the service's own description has it; `{id}` in the path stands for the id. */
export type DescribedOperation = Pick<UndocumentedOperation, "method" | "path" | "idField">;

interface Route {
  method: string;
  path: string;
  operation: unknown;
}

/** Finds an undocumented operation in an OpenAPI document, by its path and by the field that carries the id. */
export function findDescribed(document: unknown, name: UndocumentedName): DescribedOperation | undefined {
  const { collection, method, path, idField, variants } = undocumentedOperations[name];
  const below = routes(document).flatMap((route) => {
    const rest = route.path.startsWith(collection) ? route.path.slice(collection.length).replace(/\/$/, "") : undefined;
    return rest === undefined ? [] : [{ ...route, rest: rest.replace(/^\/\{[^/{}]+\}/, "/{id}") }];
  });
  const find = (method: string, rest: string) => below.find((route) => route.method === method && route.rest === rest);
  if (idField === undefined) return find(method, path.slice(collection.length)) && { method, path, idField };
  for (const verb of variants.verbs) {
    const inBody = find("POST", `/${verb}`);
    if (inBody) {
      const found = findIdField(document, inBody.operation, variants.idFields);
      return { method: "POST", path: `${collection}/${verb}`, idField: found ?? idField };
    }
    if (find("POST", `/{id}/${verb}`))
      return { method: "POST", path: `${collection}/{id}/${verb}`, idField: undefined };
  }
  if (!variants.byDelete || !find("DELETE", "/{id}")) return undefined;
  return { method: "DELETE", path: `${collection}/{id}`, idField: undefined };
}

function routes(document: unknown): Route[] {
  return Object.entries(objectIn(document, "paths")).flatMap(([written, item]) => {
    // Some descriptions keep the version in the server's URL.
    const path = written.startsWith("/v2/") ? written : `/v2${written}`;
    return Object.entries(asObject(item)).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    }));
  });
}

function findIdField(document: unknown, operation: unknown, ids: readonly string[]): string | undefined {
  const body = follow(document, own(operation, "requestBody"));
  const schema = own(own(own(body, "content"), "application/json"), "schema");
  const names = propertyNames(document, schema, 4);
  return ids.find((id) => names.includes(id)) ?? names.find((name) => /id$/i.test(name));
}

function propertyNames(document: unknown, written: unknown, depth: number): string[] {
  if (depth === 0) return [];
  const schema = follow(document, written);
  const parts = ["allOf", "anyOf", "oneOf"].flatMap((key) => {
    const list = own(schema, key);
    return Array.isArray(list) ? list.slice(0, 50) : [];
  });
  return [
    ...Object.keys(objectIn(schema, "properties")),
    ...parts.flatMap((part) => propertyNames(document, part, depth - 1)),
  ];
}

/** Follows `$ref` inside the document, as far as a description may sensibly go. */
function follow(document: unknown, value: unknown, depth = 8): unknown {
  const reference = own(value, "$ref");
  if (typeof reference !== "string" || depth === 0) return value;
  if (!reference.startsWith("#/")) return undefined;
  const keys = reference.slice(2).split("/");
  // JSON Pointer, RFC 6901: ~1 is a slash and ~0 a tilde.
  const target = keys.reduce<unknown>((at, key) => own(at, key.replaceAll("~1", "/").replaceAll("~0", "~")), document);
  return follow(document, target, depth - 1);
}

function objectIn(value: unknown, key: string): object {
  return asObject(own(value, key));
}

function asObject(value: unknown): object {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

function own(value: unknown, key: string): unknown {
  return Object.getOwnPropertyDescriptor(asObject(value), key)?.value;
}
