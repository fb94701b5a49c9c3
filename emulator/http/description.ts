import { z } from "zod";
import { chatChunk, type OperationName, requestIdHeader } from "../../provider/service";
import type { Dialect } from "../dialects";
import { errorCode } from "../refusal";
import type { Route } from "./route";

type Json = Record<string, unknown>;

/** Operations whose answer the interface documents in full: other fields do not appear. */
const fullyGiven: ReadonlySet<string> = new Set<OperationName>([
  "getRequestCost",
  "attachStorageVolume",
  "createBareMetalRental",
  "listBareMetalRentals",
  "requestReservation",
  "createStorageVolume",
  "listStorageVolumes",
  "listMarketplaceMachines",
  "chat",
]);

const inference: ReadonlySet<string> = new Set<OperationName>(["chat", "generateImage", "generateAudio"]);

const errorSchemas: Record<Dialect["errors"], z.ZodType> = {
  nested: z.strictObject({ error: z.strictObject({ code: z.string(), message: z.string() }) }),
  flat: z.strictObject({ message: z.string(), error_code: z.string() }),
};

/** Depends only on the dialect, and is slow to make: made once per dialect, as text. */
const texts = new WeakMap<Dialect, string>();

/** The service's description of itself, as JSON. */
export function describeOnce(dialect: Dialect, routes: readonly Route[]): string {
  const text = texts.get(dialect) ?? JSON.stringify(describeService(routes, dialect));
  texts.set(dialect, text);
  return text;
}

/** OpenAPI 3.1, from the same routes that answer. */
function describeService(routes: readonly Route[], dialect: Dialect): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes)
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: describe(route) };
  const statuses = [...new Set(routes.flatMap(({ errors }) => errors))].sort((a, b) => a - b);
  const error = schemaOf(errorSchemas[dialect.errors]);
  return {
    openapi: "3.1.0",
    info: { title: "GPU Compute and Inference Service", version: "2.0.0" },
    paths,
    components: {
      securitySchemes: { Authorization: { type: "http", scheme: "bearer" } },
      schemas: Object.fromEntries(statuses.map((status) => [errorCode(status), error])),
    },
    security: [{ Authorization: [] }],
  };
}

function describe(route: Route): Json {
  return {
    operationId: route.method === "POST" && route.request === undefined ? `${route.name}ByPost` : route.name,
    summary: route.summary,
    tags: [route.path.startsWith("/v2/") ? "v2" : "v1"],
    ...(route.key ? {} : { security: [] }),
    ...(route.path.includes("{id}") ? { parameters: [idParameter] } : {}),
    ...(route.request ? { requestBody: { required: true, content: json(schemaOf(route.request)) } } : {}),
    responses: {
      200: success(route),
      ...Object.fromEntries(route.errors.map((status) => [status, failure(status)])),
    },
  };
}

const idParameter = {
  name: "id",
  in: "path",
  required: true,
  schema: { type: "integer", minimum: 1, maximum: 2_147_483_647 },
};

function success(route: Route): Json {
  const schema = schemaOf(route.response);
  const content = json(fullyGiven.has(route.name) ? closed(schema) : schema);
  // Each event of a stream is a `data:` line with a chunk. There is no `schema`: OpenAPI 3.1 means the whole text by it,
  // while tools hold each event against it.
  const stream = { "text/event-stream": { "x-event-schema": closed(schemaOf(chatChunk)) } };
  return {
    description: route.summary,
    ...(inference.has(route.name) ? { headers: { [requestIdHeader]: { schema: { type: "string" } } } } : {}),
    content: route.name === "chat" ? { ...content, ...stream } : content,
  };
}

function failure(status: number): Json {
  const name = errorCode(status);
  return { description: name, content: json({ $ref: `#/components/schemas/${name}` }) };
}

function json(schema: Json): Json {
  return { "application/json": { schema } };
}

/** The schemas are the same for every emulator of a process, and converting them is the slow part. */
const described = new WeakMap<z.ZodType, Json>();

function schemaOf(schema: z.ZodType): Json {
  const known = described.get(schema);
  if (known) return known;
  const { $schema: _, ...made } = z.toJSONSchema(schema, { io: "input" });
  described.set(schema, made);
  return made;
}

/** The schema with every object closed that has named properties; one without any is meant to be open. */
function closed(schema: Json): Json {
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== "object" || value === null) return value;
    const visited = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, visit(part)]));
    const names = visited["properties"];
    const named = typeof names === "object" && names !== null && Object.keys(names).length > 0;
    return named && visited["type"] === "object" ? { ...visited, additionalProperties: false } : visited;
  };
  return z.record(z.string(), z.unknown()).parse(visit(schema));
}
