import Ajv, { type ValidateFunction } from "ajv/dist/2020";
import { z } from "zod";
import type { Rig } from "./rig";

// The stream of a chat has no schema.
const media = z.object({ schema: z.looseObject({}).optional() });
const answerOf = z.object({ content: z.record(z.string(), media).optional() });
export const operationOf = z.looseObject({
  operationId: z.string(),
  requestBody: z.object({ content: z.record(z.string(), media) }).optional(),
  responses: z.record(z.string(), answerOf),
});
export const document = z.looseObject({
  openapi: z.string(),
  info: z.object({ version: z.string() }),
  paths: z.record(z.string(), z.record(z.string(), operationOf)),
  components: z.looseObject({ schemas: z.record(z.string(), z.unknown()) }),
});
export type Document = z.infer<typeof document>;

export async function readDescription({ ok }: Rig): Promise<Document> {
  return document.parse(await ok("GET", "/v2/openapi.json"));
}

/** Checks answers against the description that the emulator gives of itself: the status, the type and the body. */
class Conformance {
  readonly #ajv = new Ajv({ strict: false, allErrors: true });
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(private readonly description: Document) {
    this.#ajv.addSchema(description, "description");
  }

  /** What is wrong with the answer; undefined if nothing is. */
  problemOf(method: string, path: string, answer: { status: number; body: unknown }): string | undefined {
    const template = this.description.paths[path] ? path : path.replace(/\/[^/]+$/, "/{id}");
    const responses = this.description.paths[template]?.[method.toLowerCase()]?.responses;
    if (!responses) return `${method} ${path} is not described`;
    if (!responses[answer.status]) return `${method} ${path} may not answer ${answer.status}`;
    const validate = this.#validator(template, method.toLowerCase(), answer.status);
    return validate(answer.body)
      ? undefined
      : `${method} ${path} ${answer.status}: ${this.#ajv.errorsText(validate.errors)}`;
  }

  #validator(path: string, method: string, status: number): ValidateFunction {
    const pointer = ["paths", path, method, "responses", status, "content", "application/json", "schema"]
      .map((step) => encodeURIComponent(String(step).replaceAll("~", "~0").replaceAll("/", "~1")))
      .join("/");
    const known = this.#validators.get(pointer);
    if (known) return known;
    const validate = this.#ajv.compile({ $ref: `description#/${pointer}` });
    this.#validators.set(pointer, validate);
    return validate;
  }
}

const known = new Map<string, Conformance>();

/** The check against the rig's own description. Compiling it takes a while, so those that are equal share one. */
export async function conformanceOf(rig: Rig): Promise<Conformance> {
  const description = await readDescription(rig);
  const text = JSON.stringify(description);
  const conformance = known.get(text) ?? new Conformance(description);
  known.set(text, conformance);
  return conformance;
}
