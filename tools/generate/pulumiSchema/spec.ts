/** The parts of a Pulumi package schema that ours is made of. */

export interface TypeSpec {
  type?: "string" | "integer" | "number" | "boolean" | "array" | "object";
  items?: TypeSpec;
  additionalProperties?: TypeSpec;
  oneOf?: TypeSpec[];
  $ref?: string;
  /** Must be known before anything is made: no output of a resource. */
  plain?: boolean;
}

export interface PropertySpec extends TypeSpec {
  description?: string;
  const?: boolean | string | number;
  default?: boolean | string | number;
  secret?: boolean;
  /** SDKs ask the engine to replace the resource whenever it changes. */
  replaceOnChanges?: boolean;
  /** The same for readers alone: the provider replaces the resource, except where its docs say otherwise. */
  willReplaceOnChanges?: boolean;
}

export interface ObjectSpec {
  type: "object";
  description?: string;
  properties: Record<string, PropertySpec>;
  required?: string[];
}

export interface EnumSpec {
  type: "string";
  description?: string;
  enum: { name: string; value: string }[];
}

export interface ResourceSpec {
  description: string;
  isComponent?: boolean;
  inputProperties: Record<string, PropertySpec>;
  requiredInputs: string[];
  properties: Record<string, PropertySpec>;
  required: string[];
  aliases?: { type: string }[];
}

export interface FunctionSpec {
  description: string;
  inputs?: ObjectSpec;
  outputs: ObjectSpec;
}

export const anyValue: TypeSpec = { $ref: "pulumi.json#/Any" };

/** An object with properties that have names; those without a value are left out. */
export function objectSpec(
  properties: Record<string, PropertySpec>,
  required: readonly string[],
  description = "",
): ObjectSpec {
  return {
    type: "object",
    ...(description && { description }),
    properties,
    ...(required.length > 0 && { required: [...required] }),
  };
}
