/** What a program may write, as Pulumi's schema has it, from the schemas of the resources. */
import { z } from "zod";
import type { Handler } from "../../../provider/lifecycle";
import type { Schema } from "../schemaWords";
import { type NamedTypes, titled } from "./namedTypes";
import { type ObjectSpec, objectSpec, type PropertySpec, type TypeSpec } from "./spec";
import { isWhole } from "./wholeNumbers";

export function inputSchemaOf({ inputs }: Handler): Schema {
  return z.toJSONSchema(inputs, { io: "input", unrepresentable: "any" });
}

/** Names types after the property where that says enough, and after the resource as well where it does not. */
export class InputTypes {
  private readonly shapes = new Map<string, Set<string>>();

  constructor(
    private readonly types: NamedTypes,
    resources: readonly Handler[],
  ) {
    for (const handler of resources) {
      for (const [key, schema] of properties(inputSchemaOf(handler))) {
        const shapes = this.shapes.get(key) ?? new Set();
        this.shapes.set(key, shapes.add(JSON.stringify([schema.enum, schema.properties])));
      }
    }
  }

  /** The inputs of a resource. */
  inputsOf(handler: Handler): ObjectSpec {
    return this.object(handler.type, inputSchemaOf(handler));
  }

  private object(owner: string, schema: Schema): ObjectSpec {
    const specs = properties(schema).map(([key, field]) => [key, this.property(owner, key, field)] as const);
    return objectSpec(Object.fromEntries(specs), schema.required ?? [], schema.description);
  }

  private property(owner: string, key: string, schema: Schema): PropertySpec {
    const { description, default: fallback, const: fixed } = schema;
    return {
      ...this.type(owner, key, schema),
      ...(description && { description }),
      ...(isScalar(fallback) && { default: fallback }),
      ...(isScalar(fixed) && { const: fixed }),
    };
  }

  private type(owner: string, key: string, schema: Schema): TypeSpec {
    if (isScalar(schema.const)) return plain(typeof schema.const);
    if (schema.enum) return this.types.enumeration(this.nameOf(owner, key), schema.enum.map(String));
    const choices = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])].map(asSchema);
    if (choices.length > 0) return { oneOf: choices.map((choice) => this.choice(owner, key, choice)) };
    if (Array.isArray(schema.type)) return { oneOf: schema.type.map(plain) };
    if (schema.type === "array") return { type: "array", items: this.type(owner, key, asSchema(schema.items)) };
    if (schema.type === "object" && schema.properties) {
      const name = this.nameOf(owner, key);
      // The description is that of the property, which has it.
      const { description: _, ...shape } = schema;
      return this.types.object(name, this.object(name, shape));
    }
    return plain(schema.type === "number" && isWhole(key) ? "integer" : String(schema.type));
  }

  /** One of several: `storageVolume: {isNew: true, …}` is a `NewStorageVolume`. */
  private choice(owner: string, key: string, schema: Schema): TypeSpec {
    if (schema.type !== "object") return this.type(owner, key, schema);
    const fixed = properties(schema).find(([, field]) => isScalar(field.const));
    if (fixed?.[0] !== "isNew") throw new Error(`the objects of ${owner}.${key} need names`);
    const name = `${fixed[1].const === true ? "New" : "Existing"}${titled(key)}`;
    return this.types.object(name, this.object(name, schema));
  }

  private nameOf(owner: string, key: string): string {
    return (this.shapes.get(key)?.size ?? 0) > 1 || !isWord(key) ? `${owner}${titled(key)}` : titled(key);
  }
}

/** Whether a name is clear by itself: `networkType` and `timeouts` are, `select` and `image` are not. */
function isWord(key: string): boolean {
  return !["select", "image"].includes(key);
}

function plain(type: string): TypeSpec {
  switch (type) {
    case "string":
    case "integer":
    case "number":
    case "boolean":
      return { type };
    default:
      throw new Error(`Pulumi's schema has nothing for a schema of type ${type}`);
  }
}

function properties(schema: Schema): [string, Schema][] {
  return Object.entries(schema.properties ?? {}).map(([key, field]) => [key, asSchema(field)]);
}

function asSchema(value: Schema["items"]): Schema {
  if (typeof value === "object" && !Array.isArray(value)) return value;
  throw new Error(`not a schema: ${JSON.stringify(value)}`);
}

function isScalar(value: unknown): value is boolean | string | number {
  return ["boolean", "string", "number"].includes(typeof value);
}
