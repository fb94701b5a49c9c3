import {
  type OperationVariants,
  type UndocumentedName,
  type UndocumentedOperation,
  undocumentedOperations,
} from "../../service";

/** How the id is written, where that is not simply as the number that it is. */
export interface IdForm {
  /** As a list of one. */
  isList?: boolean;
  isText?: boolean;
  /** Not the id itself: the record's `externalId`. */
  isExternal?: boolean;
  /** By a name that does not say the id of what: a volume's record may have one beside the volume's. */
  isPlain?: boolean;
}

/** An operation as the service's own description has it; `{id}` in the path stands for the id. */
export interface DescribedOperation extends Pick<UndocumentedOperation, "path" | "idField"> {
  method: string;
  idForm?: IdForm;
  /** What the service requires besides, filled in. */
  fields?: Readonly<Record<string, unknown>>;
}

interface Route {
  method: string;
  /** What follows the collection, with `{id}` for the first parameter. */
  rest: string;
  /** What that parameter is called. */
  parameter: string | undefined;
  operation: unknown;
  /** Its parameters, those of the whole path included. */
  parameters: unknown[];
}

/** By preference. A GET ends nothing, and a PATCH changes something that stays. */
const methods = ["POST", "PUT", "DELETE"];

/** Finds an undocumented operation in an OpenAPI document, by its path and by what carries the id. */
export function findDescribed(document: unknown, name: UndocumentedName): DescribedOperation | undefined {
  const { collection, method, path, idField, variants } = undocumentedOperations[name];
  const below = routesBelow(document, collection);
  const find = (method: string, rest: string) => below.find((route) => route.method === method && route.rest === rest);
  if (idField === undefined) return find(method, path.slice(collection.length)) && { method, path, idField };
  const inPath = (route: Route | undefined) =>
    route &&
    withFields(
      document,
      route,
      withForm({ method: route.method, path: `${collection}${route.rest}`, idField: undefined }, pathForm(route)),
    );
  for (const verb of variants.verbs) {
    for (const method of methods) {
      const route = find(method, `/${verb}`);
      const found =
        route && (findCarrier(document, route, collection, variants) ?? usual(document, route, collection, idField));
      const described = route && found ? withFields(document, route, found) : inPath(find(method, `/{id}/${verb}`));
      if (described) return described;
    }
  }
  if (!variants.byDelete) return undefined;
  const whole = find("DELETE", "");
  const onWhole = whole && findCarrier(document, whole, collection, variants, true);
  return inPath(find("DELETE", "/{id}")) ?? (onWhole && withFields(document, whole, onWhole));
}

/** The operation with what its body requires beside the id, as far as that is known: a constant, or why. */
function withFields(document: unknown, { operation }: Route, described: DescribedOperation): DescribedOperation {
  const schema = bodySchema(document, operation);
  const fields = properties(document, schema, 4).flatMap(({ name, schema: written }) => {
    if (name === described.idField || !isRequired(document, schema, name, 4)) return [];
    const value = valueFor(name, follow(document, written));
    return value === undefined ? [] : [[name, value] as const];
  });
  return fields.length === 0 ? described : { ...described, fields: Object.fromEntries(fields) };
}

const why = "requested by pulumi-gpufleet";
/** Values of a reason that are true of whatever a program no longer has, the best first. */
const fittingReasons = [/user|customer|owner|request/i, /no.?longer|not.?needed|unused|finish|complet|done/i, /other/i];

/** What may be filled in without knowing more: undefined where only a person can tell. */
function valueFor(name: string, schema: unknown): unknown {
  const constant = own(schema, "const");
  if (constant !== undefined) return constant;
  // As OpenAPI 3.0 writes a constant.
  const [only, ...others] = listIn(schema, "enum");
  if (only !== undefined && others.length === 0) return only;
  if (!/reason$/i.test(name)) return undefined;
  const offered = listIn(schema, "enum").filter((value) => typeof value === "string");
  if (offered.length > 0) {
    const fitting = fittingReasons.flatMap((words) => offered.find((value) => words.test(value)) ?? []);
    return fitting[0];
  }
  if (own(schema, "type") !== undefined && !isOfType(schema, "string")) return undefined;
  const most = own(schema, "maxLength");
  return typeof most === "number" ? why.slice(0, most) : why;
}

/** A POST that says nothing about its body is taken to have the usual field. */
function usual(
  document: unknown,
  { method, rest, operation }: Route,
  collection: string,
  idField: string,
): DescribedOperation | undefined {
  const saysNothing = properties(document, bodySchema(document, operation), 4).length === 0;
  return method !== "DELETE" && saysNothing ? { method, path: `${collection}${rest}`, idField } : undefined;
}

/** The operation with the id where it goes: into a field of the body, or into the query. */
function findCarrier(
  document: unknown,
  { method, rest, operation, parameters }: Route,
  collection: string,
  variants: OperationVariants,
  /** On a whole collection: without the id, which a proxy may drop along with a body, it might delete everything. */
  mustBeRequired = false,
): DescribedOperation | undefined {
  const schema = bodySchema(document, operation);
  const inBody = choose(document, properties(document, schema, 4), variants);
  if (inBody && (!mustBeRequired || isRequired(document, schema, inBody.name, 4))) {
    return withForm({ method, path: `${collection}${rest}`, idField: inBody.name }, inBody.form);
  }
  const query = parameters.filter((one) => own(one, "in") === "query");
  const fields = query.map((one): Property => ({ name: String(own(one, "name")), schema: own(one, "schema") }));
  const inQuery = choose(document, fields, variants);
  const parameter = query.find((one) => own(one, "name") === inQuery?.name);
  if (!inQuery || (mustBeRequired && own(parameter, "required") !== true)) return undefined;
  const path = `${collection}${rest}?${encodeURIComponent(inQuery.name)}={id}`;
  return withForm(
    { method, path, idField: undefined },
    { isExternal: inQuery.form.isExternal ?? false, isPlain: inQuery.form.isPlain ?? false },
  );
}

function withForm(operation: DescribedOperation, form: IdForm): DescribedOperation {
  const { isList, isText, isExternal, isPlain } = form;
  if (!isList && !isText && !isExternal && !isPlain) return operation;
  const idForm = {
    ...(isList && { isList }),
    ...(isText && { isText }),
    ...(isExternal && { isExternal }),
    ...(isPlain && { isPlain }),
  };
  return { ...operation, idForm };
}

function pathForm({ parameter = "" }: Route): IdForm {
  return { isExternal: externalId.test(parameter), isPlain: plainId.test(parameter) };
}

const plainId = /^ids?$/i;
const externalId = /^external_?id$/i;
/** Ids of something else. */
const otherId =
  /^(external|request|idempotency|correlation|trace|org|organi[sz]ation|user|account|project|team|client)_?id$/i;

interface Property {
  name: string;
  schema: unknown;
}

/** The field that carries the id. The external one is the last resort: it takes a look at the record to fill it. */
function choose(
  document: unknown,
  fields: readonly Property[],
  { idFields, idLists }: OperationVariants,
): { name: string; form: IdForm } | undefined {
  const names = fields.map(({ name }) => name);
  const known = [...idFields, ...idLists].find((name) => names.includes(name));
  const name =
    known ??
    names.find((name) => /id$/i.test(name) && !otherId.test(name)) ??
    names.find((name) => externalId.test(name));
  const field = fields.find((field) => field.name === name);
  if (name === undefined || !field) return undefined;
  const schema = follow(document, field.schema);
  const isList = isOfType(schema, "array") || (idLists.includes(name) && own(schema, "type") === undefined);
  const item = isList ? follow(document, own(schema, "items")) : schema;
  const isText = isOfType(item, "string") && !isOfType(item, "integer") && !isOfType(item, "number");
  return { name, form: { isList, isText, isExternal: externalId.test(name), isPlain: plainId.test(name) } };
}

function isOfType(schema: unknown, type: string): boolean {
  const given = own(schema, "type");
  return given === type || (Array.isArray(given) && given.includes(type));
}

function routesBelow(document: unknown, collection: string): Route[] {
  return Object.entries(objectIn(document, "paths")).flatMap(([written, item]) => {
    // Some descriptions keep the version in the server's URL.
    const path = written.startsWith("/v2/") ? written : `/v2${written}`;
    if (!path.startsWith(collection)) return [];
    const rest = path.slice(collection.length).replace(/\/$/, "");
    return Object.entries(asObject(item)).map(([method, operation]) => ({
      method: method.toUpperCase(),
      rest: rest.replace(/^\/\{[^/{}]+\}/, "/{id}"),
      parameter: /^\/\{([^/{}]+)\}/.exec(rest)?.[1],
      operation,
      parameters: [...listIn(item, "parameters"), ...listIn(operation, "parameters")].map((one) =>
        follow(document, one),
      ),
    }));
  });
}

function bodySchema(document: unknown, operation: unknown): unknown {
  const body = follow(document, own(operation, "requestBody"));
  return own(own(own(body, "content"), "application/json"), "schema");
}

/** The properties of an object schema, those of its parts included. */
function properties(document: unknown, written: unknown, depth: number): Property[] {
  if (depth === 0) return [];
  const schema = follow(document, written);
  return [
    ...Object.entries(objectIn(schema, "properties")).map(([name, schema]) => ({ name, schema })),
    ...partsOf(schema).flatMap((part) => properties(document, part, depth - 1)),
  ];
}

function isRequired(document: unknown, written: unknown, name: string, depth: number): boolean {
  if (depth === 0) return false;
  const schema = follow(document, written);
  return (
    listIn(schema, "required").includes(name) ||
    listIn(schema, "allOf").some((part) => isRequired(document, part, name, depth - 1))
  );
}

function partsOf(schema: unknown): unknown[] {
  return ["allOf", "anyOf", "oneOf"].flatMap((key) => listIn(schema, key));
}

function listIn(value: unknown, key: string): unknown[] {
  const list = own(value, key);
  return Array.isArray(list) ? list.slice(0, 50) : [];
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
