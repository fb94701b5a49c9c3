import { type MachineCriteria, machineCriteria } from "../../../provider/resources";

/** What to look for, as options and as `select` name it. */
export interface Asked extends Partial<Record<keyof MachineCriteria, unknown>> {
  gpuCount: number;
}

/** The same, read. */
export interface Search {
  criteria: MachineCriteria;
  gpuCount: number;
}

export function readAsked(asked: Asked): Search {
  const given = Object.keys(machineCriteria.shape).flatMap((key) => {
    const value: unknown = Reflect.get(asked, key);
    return value === undefined ? [] : [[key, value]];
  });
  return { criteria: machineCriteria.parse(Object.fromEntries(given)), gpuCount: asked.gpuCount };
}
