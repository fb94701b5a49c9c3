import { isDeepStrictEqual } from "node:util";

/** What becomes of one property, however deep it is. */
export type PropertyChange = "add" | "update" | "delete";

/** Where two values differ: path → change. A path is written as Pulumi reads it: `storageVolume.sizeInGb`, `sshKeys[0]`. */
export function propertyChanges(path: string, before: unknown, after: unknown): Map<string, PropertyChange> {
  const changes = new Map<string, PropertyChange>();
  collect(changes, path, before, after);
  return changes;
}

function collect(changes: Map<string, PropertyChange>, path: string, before: unknown, after: unknown): void {
  if (isDeepStrictEqual(before, after)) return;
  if (isMissing(before) || isMissing(after)) {
    changes.set(path, isMissing(after) ? "delete" : "add");
    return;
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    for (let index = 0; index < Math.max(before.length, after.length); index++) {
      collect(changes, `${path}[${index}]`, before[index], after[index]);
    }
    return;
  }
  if (isObject(before) && isObject(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      collect(changes, memberPath(path, key), Reflect.get(before, key), Reflect.get(after, key));
    }
    return;
  }
  changes.set(path, "update");
}

function memberPath(path: string, key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
