import type { z } from "zod";

/** The part of a resource's inputs that goes over the wire. */
export function requestFrom<Schema extends z.ZodObject>(schema: Schema, inputs: object): z.output<Schema> {
  const wire = Object.entries(inputs).filter(([key, value]) => key in schema.shape && value !== undefined);
  return schema.parse(Object.fromEntries(wire));
}
