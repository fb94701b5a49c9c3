import { isDeepStrictEqual } from "node:util";
import { cleanText } from "../../provider/shared/cleanText";
import { count } from "../../provider/shared/count";
import { isAutomaticLabel } from "../../provider/shared/label";
import { hasUnknown } from "../../provider/shared/unknown";
import { asProperties, hasSecret, maskedSecret } from "../stack";
import type { Change } from "./changes";

/** A property that changes. The values are there only where they are fit to be read by everybody. */
export interface PropertyChange {
  property: string;
  before?: string;
  after?: string;
}

/** Inputs of this provider whose values say something about the change and cannot hold a secret or an address. */
const shown: Readonly<Record<string, (value: unknown) => string>> = {
  ...Object.fromEntries(
    [
      ...["region", "gpuType", "gpuCount", "sizeInGb", "networkType", "cudaVersion", "customPorts", "fallbackRegions"],
      ...["termType", "termPeriodDays", "discountPercentage", "convertToOnDemandOnExpiry", "monitoringEnabled"],
      ...["maxCostPerHour", "expiresAt", "waitForReady", "waitForSsh", "waitForGpus", "timeouts", "keepVolume"],
      ...["clusterName", "nodeName", "select"],
    ].map((property) => [property, showValue]),
  ),
  rentalIds: (value) => (Array.isArray(value) ? count(value.length, "rental") : showValue(value)),
  image: showImage,
  storageVolume: showVolume,
};

const longestValue = 80;

/** What differs between the inputs of the state and those of the program. */
export function changedProperties(change: Change): PropertyChange[] {
  const { before, after } = change;
  if (!before || !after) return [];
  const keys = new Set([...Object.keys(before.inputs), ...Object.keys(after.inputs)]);
  const changed = [...keys]
    .filter((key) => !key.startsWith("__") && !isSame(key, before.inputs[key], after.inputs[key]))
    .sort();
  const changedKeys = changed.length > 0 ? changed : withoutDifference(change);
  return changedKeys.map((property) => describe(change, property, before.inputs[property], after.inputs[property]));
}

function isSame(key: string, before: unknown, after: unknown): boolean {
  if (isDeepStrictEqual(before, after)) return true;
  // A new random part of a label that the provider chose is nobody's change.
  return key === "label" && isAutomaticLabel(before) && isAutomaticLabel(after);
}

/** Two secrets look alike in a preview; then the engine's own words count, or the secrets are named. */
function withoutDifference({ op, reasons, before, after }: Change): string[] {
  if (op === "same") return [];
  const changedKeys = reasons.filter((reason) => !reason.startsWith("__"));
  if (changedKeys.length > 0) return [...changedKeys].sort();
  return Object.keys(after?.inputs ?? {}).filter(
    (key) => after?.inputs[key] === maskedSecret && before?.inputs[key] === maskedSecret,
  );
}

function describe({ gpufleetType }: Change, property: string, before: unknown, after: unknown): PropertyChange {
  const show = gpufleetType === undefined ? undefined : shown[property];
  if (!show) return { property };
  const write = (value: unknown) => {
    if (value === undefined || value === null) return "not set";
    if (value === maskedSecret || hasSecret(value)) return "secret";
    if (hasUnknown(value)) return "not known yet";
    return cleanText(show(value), { max: longestValue });
  };
  return { property, before: write(before), after: write(after) };
}

function showValue(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.every((item) => typeof item !== "object")) return value.join(", ");
  return JSON.stringify(value);
}

/** Without the registry, which is an address, and without whatever else a service may take with an image. */
function showImage(value: unknown): string {
  const { name, tag } = asProperties(value);
  const last = String(name ?? "")
    .split("/")
    .at(-1);
  return typeof tag === "string" ? `${last}:${tag}` : `${last}`;
}

function showVolume(value: unknown): string {
  const { isNew, sizeInGb } = asProperties(value);
  return isNew === true ? `new, ${sizeInGb} GB` : "existing";
}
