/** Writes docs/operations.md: every operation of the service, from the table that client and emulator are made of. */
import { type Operation, operations, undocumentedOperations } from "../../provider/service";
import { code, header, table } from "./markdown";
import { describeFields } from "./schemaWords";

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

export function writeOperationsPage(): string {
  const documented: [string, Operation][] = Object.entries(operations);
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

function documentedRow([name, operation]: [string, Operation]): string[] {
  const { method, path, base, key, idempotent, summary, request } = operation;
  const linked = request ? `[${name}](#${name.toLowerCase()})` : name;
  return [linked, code(`${method} ${path}`), base, yesNo(key), yesNo(idempotent), summary];
}

function yesNo(value: boolean): string {
  return value ? "yes" : "no";
}

function writeBody(name: string, { request, method, path }: Operation): string {
  if (!request) return "";
  const { fields, lists } = describeFields(request, `${name}-`);
  const rows = fields.map(({ name: field, type, presence, description }) => [code(field), type, presence, description]);
  return `\n### ${name}\n\n\`${method} ${path}\`\n\n${table(["field", "type", "default", ""], rows)}${lists}`;
}
