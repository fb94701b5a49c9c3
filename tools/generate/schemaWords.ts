/** What a schema allows, in words: for the tables of the docs. */
import { z } from "zod";
import { offered } from "../../provider/shared/region";

export type Schema = z.core.JSONSchema.BaseSchema;

/** One row of a table. */
export interface Field {
  /** `sizeInGb`, or `storageVolume.sizeInGb` for what is inside an object. */
  name: string;
  /** With its limits: "integer, 256 to 64000, a multiple of 256". */
  type: string;
  /** "required", the default, or nothing. */
  presence: string;
  description: string;
  /** Of an enumeration too long for the table. */
  values: readonly string[];
}

/** A longer enumeration is listed below the table. */
const FEW_VALUES = 5;
const LINK_TO_VALUES = "[one of these](#)";

/**
 * The fields of a request, and the lists that belong below the table; fields with the same values share one. `owner` tells the
 * tables of a page apart.
 */
export function describeFields(schema: z.ZodType, owner = ""): { fields: Field[]; lists: string } {
  const fields = fieldsOf(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }));
  /** The fields that take the same values. */
  const sharing = new Map<string, string[]>();
  for (const { name, values } of fields) {
    if (values.length > 0) sharing.set(values.join(), [...(sharing.get(values.join()) ?? []), name]);
  }
  const anchorOf = (values: readonly string[]) => {
    const [first = ""] = sharing.get(values.join()) ?? [];
    return `${owner}values-of-${first}`.toLowerCase().replaceAll(/[^a-z0-9_-]/g, "");
  };
  const lists = [...sharing].map(([joined, names]) => {
    const values = joined.split(",");
    const title = names.map((name) => `\`${name}\``).join(" and ");
    return `\n<a id="${anchorOf(values)}"></a>Values of ${title}: ${values.map((value) => `\`${value}\``).join(", ")}.\n`;
  });
  return {
    fields: fields.map((field) => ({
      ...field,
      type: field.type.replace(LINK_TO_VALUES, LINK_TO_VALUES.replace("#", `#${anchorOf(field.values)}`)),
    })),
    lists: lists.join(""),
  };
}

/** The fields of an object. */
function fieldsOf(schema: Schema, prefix = ""): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, field]) => {
    if (typeof field === "boolean") return [];
    const required = schema.required?.includes(key) ?? false;
    const row = fieldOf(`${prefix}${key}`, field, required);
    const needs = schema.dependentRequired?.[key]?.map((other) => `, only with \`${other}\``) ?? [];
    return [{ ...row, type: [row.type, ...needs].join("") }, ...insideOf(row.name, field)];
  });
}

function fieldOf(name: string, schema: Schema, required: boolean): Field {
  const fallback = schema.default === undefined ? "" : `\`${JSON.stringify(schema.default)}\``;
  return {
    name,
    type: typeOf(schema),
    presence: required ? "required" : fallback,
    description: schema.description ?? "",
    values: longEnumeration(schema),
  };
}

/** The fields inside an object, a list of objects, or the objects of a choice. */
function insideOf(name: string, schema: Schema): Field[] {
  const items = itemsOf(schema);
  if (items) return insideOf(`${name}[]`, items);
  const choices = alternatives(schema).filter((choice) => choice.properties);
  if (choices.length > 0) return choices.flatMap((choice) => inChoice(choice, fieldsOf(choice, `${name}.`)));
  return fieldsOf(schema, `${name}.`);
}

/** Which of several shapes a field belongs to, told by the one field whose value is fixed. */
function inChoice(choice: Schema, fields: Field[]): Field[] {
  const [fixed] = Object.entries(choice.properties ?? {}).filter(
    ([, field]) => typeof field === "object" && field.const !== undefined,
  );
  if (!fixed) return fields;
  const [key, field] = fixed;
  const mark = `With \`${key}: ${JSON.stringify(typeof field === "object" ? field.const : undefined)}\`:`;
  return fields
    .filter(({ name }) => !name.endsWith(`.${key}`))
    .map((row) => ({ ...row, description: `${mark} ${lowerFirst(row.description)}` }));
}

/** Not the first letter of an abbreviation. */
export function lowerFirst(text: string): string {
  return text.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase());
}

function alternatives(schema: Schema): Schema[] {
  return [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])].filter((option) => typeof option === "object");
}

/** Of the field itself, or of what its list holds. */
function longEnumeration(schema: Schema): readonly string[] {
  const values = offered((itemsOf(schema) ?? schema).enum?.map(String) ?? []);
  return values.length > FEW_VALUES ? values : [];
}

/** What a list holds. */
function itemsOf({ type, items }: Schema): Schema | undefined {
  return type === "array" && typeof items === "object" && !Array.isArray(items) ? items : undefined;
}

function typeOf(schema: Schema): string {
  const items = itemsOf(schema);
  if (items) return [`list of ${typeOf(items)}`, ...limitsOf(schema)].join("; ");
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (longEnumeration(schema).length > 0) return `string, ${LINK_TO_VALUES}`;
  if (schema.enum) return oneOf(schema.enum.map((value) => `\`${JSON.stringify(value)}\``));
  const choices = alternatives(schema);
  if (choices.length > 0)
    return oneOf([...new Set(choices.map((choice) => typeOf(choice).replace(/, (.*)$/, " ($1)")))]);
  const { additionalProperties: held } = schema;
  if (typeof held === "object" && held.type) return `object of ${typeOf(held)}`;
  const types = [schema.type ?? "any value"].flat();
  return [types.join(" or "), ...limitsOf(schema)].join(", ");
}

function oneOf(options: readonly string[]): string {
  return [options.slice(0, -1).join(", "), ...options.slice(-1)].filter((text) => text !== "").join(" or ");
}

function limitsOf(schema: Schema): string[] {
  const { multipleOf, pattern } = schema;
  return [
    range(leastOf(schema), mostOf(schema), ""),
    multipleOf === undefined ? "" : `a multiple of ${multipleOf}`,
    range(schema.minLength, schema.maxLength, " characters"),
    pattern === undefined ? "" : describePattern(pattern),
    range(schema.minItems, schema.maxItems, " items"),
  ].filter((text) => text !== "");
}

/** Not the ends of what a number in JSON can hold. */
function leastOf({ minimum, exclusiveMinimum, type }: Schema): number | string | undefined {
  if (typeof exclusiveMinimum === "number")
    return type === "integer" ? exclusiveMinimum + 1 : `more than ${exclusiveMinimum}`;
  return minimum === Number.MIN_SAFE_INTEGER ? undefined : minimum;
}

function mostOf({ maximum }: Schema): number | undefined {
  return maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
}

function range(least: number | string | undefined, most: number | undefined, unit: string): string {
  if (least !== undefined && most !== undefined) return `${least} to ${most}${unit}`;
  if (typeof least === "string") return least;
  if (least === 1 && unit !== "") return "not empty";
  if (least !== undefined) return `at least ${least}${unit}`;
  return most === undefined ? "" : `at most ${most}${unit}`;
}

function describePattern(pattern: string): string {
  return pattern === "^[A-Za-z0-9_-]+$" ? "letters, digits, `_` and `-`" : `matching \`${pattern}\``;
}
