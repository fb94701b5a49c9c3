import type { OperationName } from "../../provider/service";

/** A request at the edge of what the interface allows, or one step beyond. */
export interface ContractCase {
  operation: OperationName;
  name: string;
  request: unknown;
  accepted: boolean;
  /** The field that is at its edge, as an error must name it. */
  field?: string;
}

/** What the tests of every operation are made from. */
export interface Contract {
  /** One that the service accepts; undefined for an operation without a body. */
  request: Record<string, unknown> | undefined;
  /** Operations whose requests must have been carried out for this one to succeed. */
  after?: readonly OperationName[];
  /** What a service may answer. */
  answer: unknown;
  /** Fields of the request at and beyond their limits. */
  edges?: readonly Edge[];
}

export interface Edge {
  field: string;
  accepted?: readonly unknown[];
  refused?: readonly unknown[];
  /** Where the field is not on the outermost level: the outermost field's value that holds it. */
  within?: (value: unknown) => Record<string, unknown>;
}

/** Marks a field that is left out. */
export const missing = Symbol("missing");

export function casesOf(operation: OperationName, { request: base, edges = [] }: Contract): ContractCase[] {
  if (base === undefined)
    return [{ operation, name: `${operation} takes no body`, request: undefined, accepted: true }];
  const build = ({ field, within = (value) => ({ [field]: value }) }: Edge, value: unknown, accepted: boolean) => ({
    operation,
    name: `${operation} ${accepted ? "accepts" : "refuses"} ${field} ${show(value)}`,
    request: withoutMissing({ ...base, ...within(value) }),
    accepted,
    field,
  });
  return edges.flatMap((edge) => [
    ...(edge.accepted ?? []).map((value) => build(edge, value, true)),
    ...(edge.refused ?? []).map((value) => build(edge, value, false)),
  ]);
}

function withoutMissing(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMissing);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([, item]) => item !== missing);
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutMissing(item)]));
}

function show(value: unknown): string {
  if (value === missing) return "(left out)";
  const text = JSON.stringify(value);
  return text.length <= 40
    ? text
    : `${text.slice(0, 30)}… of length ${Array.isArray(value) ? value.length : text.length - 2}`;
}
