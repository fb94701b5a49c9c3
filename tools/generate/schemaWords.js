/** What a schema allows, in words: for the tables of the docs. */
const { z } = require("zod");

/** @typedef {import("zod").core.JSONSchema.BaseSchema} Schema */

/**
 * One row of a table.
 * @typedef {object} Field
 * @property {string} name `sizeInGb`, or `storageVolume.sizeInGb` for what is inside an object
 * @property {string} type with its limits: "integer, 256 to 64000, a multiple of 256"
 * @property {string} presence "required", the default, or nothing
 * @property {string} description
 * @property {readonly string[]} values of an enumeration too long for the table
 */

/** A longer enumeration is listed below the table. */
const FEW_VALUES = 5;
const LINK_TO_VALUES = "[one of these](#)";

/**
 * The fields of a request, and the lists that belong below the table; fields with the same values share one.
 * @param {import("zod").ZodType} schema
 * @param {string} [owner] where a page has several tables
 * @returns {{fields: Field[], lists: string}}
 */
function describeFields(schema, owner = "") {
  const fields = fieldsOf(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }));
  /** @type {Map<string, string[]>} the fields that take the same values */
  const sharing = new Map();
  for (const { name, values } of fields) {
    if (values.length > 0) sharing.set(values.join(), [...(sharing.get(values.join()) ?? []), name]);
  }
  const anchorOf = (/** @type {readonly string[]} */ values) => {
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

/**
 * @param {Schema} schema of an object
 * @param {string} [prefix]
 * @returns {Field[]}
 */
function fieldsOf(schema, prefix = "") {
  return Object.entries(schema.properties ?? {}).flatMap(([key, field]) => {
    if (typeof field === "boolean") return [];
    const required = schema.required?.includes(key) ?? false;
    const row = fieldOf(`${prefix}${key}`, field, required);
    const needs = schema.dependentRequired?.[key]?.map((other) => `, only with \`${other}\``) ?? [];
    return [{ ...row, type: [row.type, ...needs].join("") }, ...insideOf(row.name, field)];
  });
}

/**
 * @param {string} name
 * @param {Schema} schema
 * @param {boolean} required
 * @returns {Field}
 */
function fieldOf(name, schema, required) {
  const fallback = schema.default === undefined ? "" : `\`${JSON.stringify(schema.default)}\``;
  return {
    name,
    type: typeOf(schema),
    presence: required ? "required" : fallback,
    description: schema.description ?? "",
    values: longEnumeration(schema),
  };
}

/**
 * The fields inside an object, a list of objects, or the objects of a choice.
 * @param {string} name
 * @param {Schema} schema
 * @returns {Field[]}
 */
function insideOf(name, schema) {
  const items = itemsOf(schema);
  if (items) return insideOf(`${name}[]`, items);
  const choices = alternatives(schema).filter((choice) => choice.properties);
  if (choices.length > 0) return choices.flatMap((choice) => inChoice(choice, fieldsOf(choice, `${name}.`)));
  return fieldsOf(schema, `${name}.`);
}

/**
 * Which of several shapes a field belongs to, told by the one field whose value is fixed.
 * @param {Schema} choice
 * @param {Field[]} fields
 */
function inChoice(choice, fields) {
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

/** Not the first letter of an abbreviation. @param {string} text */
function lowerFirst(text) {
  return text.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase());
}

/** @param {Schema} schema @returns {Schema[]} */
function alternatives(schema) {
  return [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])].filter((option) => typeof option === "object");
}

/**
 * Of the field itself, or of what its list holds.
 * @param {Schema} schema
 * @returns {readonly string[]}
 */
function longEnumeration(schema) {
  const values = (itemsOf(schema) ?? schema).enum?.map(String) ?? [];
  return values.length > FEW_VALUES ? values : [];
}

/** What a list holds. @param {Schema} schema @returns {Schema | undefined} */
function itemsOf({ type, items }) {
  return type === "array" && typeof items === "object" && !Array.isArray(items) ? items : undefined;
}

/** @param {Schema} schema @returns {string} */
function typeOf(schema) {
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
  const types = /** @type {string[]} */ ([schema.type ?? "any value"]).flat();
  return [types.join(" or "), ...limitsOf(schema)].join(", ");
}

/** @param {readonly string[]} options */
function oneOf(options) {
  return [options.slice(0, -1).join(", "), ...options.slice(-1)].filter((text) => text !== "").join(" or ");
}

/** @param {Schema} schema @returns {string[]} */
function limitsOf(schema) {
  const { multipleOf, pattern } = schema;
  return [
    range(leastOf(schema), mostOf(schema), ""),
    multipleOf === undefined ? "" : `a multiple of ${multipleOf}`,
    range(schema.minLength, schema.maxLength, " characters"),
    pattern === undefined ? "" : describePattern(pattern),
    range(schema.minItems, schema.maxItems, " items"),
  ].filter((text) => text !== "");
}

/** Not the ends of what a number in JSON can hold. @param {Schema} schema */
function leastOf({ minimum, exclusiveMinimum, type }) {
  if (typeof exclusiveMinimum === "number")
    return type === "integer" ? exclusiveMinimum + 1 : `more than ${exclusiveMinimum}`;
  return minimum === Number.MIN_SAFE_INTEGER ? undefined : minimum;
}

/** @param {Schema} schema */
function mostOf({ maximum }) {
  return maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
}

/**
 * @param {number | string | undefined} least
 * @param {number | undefined} most
 * @param {string} unit
 */
function range(least, most, unit) {
  if (least !== undefined && most !== undefined) return `${least} to ${most}${unit}`;
  if (typeof least === "string") return least;
  if (least === 1 && unit !== "") return "not empty";
  if (least !== undefined) return `at least ${least}${unit}`;
  return most === undefined ? "" : `at most ${most}${unit}`;
}

/** @param {string} pattern */
function describePattern(pattern) {
  return pattern === "^[A-Za-z0-9_-]+$" ? "letters, digits, `_` and `-`" : `matching \`${pattern}\``;
}

module.exports = { describeFields, lowerFirst };
