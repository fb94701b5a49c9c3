import { z } from "zod";
import { nativePrefix } from "../../shared/typeToken";

/** The description of the package for the engine and for other languages. */
export interface PluginSchema {
  /** The text of schema.json. */
  read(): string;
}

const names = z.record(z.string(), z.unknown()).default({});
const described = z.object({ resources: z.record(z.string(), z.object({ properties: names })).default({}) });

const outputs = new WeakMap<PluginSchema, ReadonlyMap<string, readonly string[]>>();

/** The names of the outputs of a type. */
export function outputsIn(schema: PluginSchema, type: string): readonly string[] {
  const known = outputs.get(schema) ?? readOutputs(schema);
  outputs.set(schema, known);
  return known.get(`${nativePrefix}${type}`) ?? [];
}

function readOutputs(schema: PluginSchema): ReadonlyMap<string, readonly string[]> {
  const { resources } = described.parse(JSON.parse(schema.read()));
  return new Map(Object.entries(resources).map(([token, { properties }]) => [token, Object.keys(properties)]));
}
