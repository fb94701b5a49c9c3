import { isDefaultProvider, type Values } from "../lifecycle";
import { explicitProviderKey } from "../shared/stub";
import type { ReadConfig } from "./configuration";
import { withoutMarks } from "./propertyValue";

/** The settings in the inputs of a provider. The engine makes those of the default one from the stack's configuration. */
export function configOf(inputs: Values, urn: string): ReadConfig {
  return (key) => {
    if (key === explicitProviderKey) return urn === "" || isDefaultProvider(urn) ? undefined : urn;
    return key === "movedFrom" ? listAsText(withoutMarks(inputs[key])) : asText(withoutMarks(inputs[key]));
  };
}

/** Each setting is written as in the stack's configuration. */
function asText(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A list arrives as one, or as JSON: the engine writes what is no text in the settings of a provider so. */
function listAsText(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.join(",");
  const text = asText(value);
  return text?.startsWith("[") ? text.replace(/[[\]"\s]/g, "") : text;
}
