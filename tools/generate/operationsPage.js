/** Writes docs/operations.md: every operation of the service, from the table that client and emulator are made of. */
const { code, header, table } = require("./markdown");
const { describeFields } = require("./schemaWords");

/** @typedef {import("../../provider/service/operations").Operation} Operation */

const documentedIntroduction = `# Operations

What the service offers and this package uses. Each documented operation is a method of \`createClient\` from
\`pulumi-gpufleet/client\`. One that is not idempotent is sent once: if its answer is lost, the client says so and does
not send it again.

## Documented

`;

const undocumentedIntroduction = `
The base URL of v2 is \`GPUFLEET_BASE_URL\`; that of v1 is \`GPUFLEET_V1_BASE_URL\`, or the same.

## Not documented

The service must have these, but its interface does not show them. This is the form that is tried when neither the
configuration nor the service's own description tells another: [undocumented operations](undocumented-operations.md).

`;

/** @param {typeof import("../../provider/service")} service */
function writeOperationsPage({ operations, undocumentedOperations }) {
  /** @type {[string, Operation][]} */
  const documented = Object.entries(operations);
  const undocumented = Object.entries(undocumentedOperations);
  return (
    header("`provider/service`") +
    documentedIntroduction +
    table(["operation", "request", "base URL", "key", "idempotent", ""], documented.map(documentedRow)) +
    undocumentedIntroduction +
    table(
      ["operation", "request", "id", ""],
      undocumented.map(([name, { method, path, idField, summary }]) => [
        code(name),
        code(`${method} ${path}`),
        code(idField ?? ""),
        summary,
      ]),
    ) +
    "\n## Bodies\n" +
    documented.map(([name, operation]) => writeBody(name, operation)).join("")
  );
}

/** @param {[string, Operation]} entry */
function documentedRow([name, { method, path, base, key, idempotent, summary, request }]) {
  const linked = request ? `[${name}](#${name.toLowerCase()})` : name;
  return [linked, code(`${method} ${path}`), base, yesNo(key), yesNo(idempotent), summary];
}

/** @param {boolean} value */
function yesNo(value) {
  return value ? "yes" : "no";
}

/**
 * @param {string} name
 * @param {Operation} operation
 */
function writeBody(name, { request, method, path }) {
  if (!request) return "";
  const { fields, lists } = describeFields(request, `${name}-`);
  const rows = fields.map(({ name: field, type, presence, description }) => [code(field), type, presence, description]);
  return `\n### ${name}\n\n\`${method} ${path}\`\n\n${table(["field", "type", "default", ""], rows)}${lists}`;
}

module.exports = { writeOperationsPage };
