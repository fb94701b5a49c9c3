/** The types that a Pulumi schema gives a name: objects and enumerations. */
import { isDeepStrictEqual } from "node:util";
import type { EnumSpec, ObjectSpec, TypeSpec } from "./spec";

export const packageName = "gpufleet";

/** `gpufleet:index:BareMetalRental` */
export function token(name: string): string {
  return `${packageName}:index:${name}`;
}

export class NamedTypes {
  private readonly byName = new Map<string, EnumSpec | ObjectSpec>();

  /** In the order of their names, so that a new one moves no other. */
  all(): Record<string, EnumSpec | ObjectSpec> {
    const sorted = [...this.byName].sort(([one], [other]) => one.localeCompare(other));
    return Object.fromEntries(sorted.map(([name, spec]) => [token(name), spec]));
  }

  /** An enumeration; one with the same values is used again, whatever it is called. */
  enumeration(name: string, values: readonly string[]): TypeSpec {
    const spec: EnumSpec = { type: "string", enum: values.map((value) => ({ name: nameOfValue(value), value })) };
    const same = [...this.byName].find(([, known]) => isDeepStrictEqual(known, spec))?.[0];
    return same ? refTo(same) : this.add(name, spec);
  }

  object(name: string, spec: ObjectSpec): TypeSpec {
    return this.add(name, spec);
  }

  private add(name: string, spec: EnumSpec | ObjectSpec): TypeSpec {
    const known = this.byName.get(name);
    if (known && !isDeepStrictEqual(known, spec)) throw new Error(`two types of the schema are called ${name}`);
    this.byName.set(name, spec);
    return refTo(name);
  }
}

function refTo(name: string): TypeSpec {
  return { $ref: `#/types/${token(name)}` };
}

/** `us-central-1` → `UsCentral1`, `eu-southwest-3-1` → `EuSouthwest3_1`, `cuda12.8` → `Cuda12_8` */
function nameOfValue(value: string): string {
  const parts = value.split(/(?<!\d)-|-(?!\d)/).map(titled);
  return parts.join("").replaceAll(/[^A-Za-z0-9]/g, "_");
}

/** `networkType` → `NetworkType` */
export function titled(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
