import { isDefaultProvider, messageOf, type Values } from "../../lifecycle";
import {
  isSetting,
  type SettingName,
  settingNames,
  settingsNamespace,
  unknownSettings,
} from "../../shared/settingNames";
import { nearest } from "../../shared/spelling";
import { explicitProviderKey } from "../../shared/stub";
import { hasUnknown } from "../../shared/unknown";
import { nameOf, readUrn } from "../../shared/urn";
import { hasBaseUrl, type ReadConfig, readConnection, readSettings } from "../configuration";
import { withoutMarks } from "./propertyValue";

/** What the engine itself puts among the inputs of a provider. */
const ofEngine = new Set(["version", "pluginDownloadURL", "__internal"]);

/** The settings in the inputs of a provider. The engine makes the default one from the stack's configuration. */
export function configOf(inputs: Values, urn: string): ReadConfig {
  return (key) => {
    if (key === explicitProviderKey) return urn === "" || isDefaultProvider(urn) ? undefined : urn;
    return writtenAs(inputs[key], key);
  };
}

/** Each setting is written as in the stack's configuration. */
function writtenAs(marked: unknown, key: string): string | undefined {
  const value = withoutMarks(marked);
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return key === ("movedFrom" satisfies SettingName) ? listAsText(value) : value;
  return key === "movedFrom" && Array.isArray(value) ? value.join(",") : JSON.stringify(value);
}

/** The engine writes a list in the settings of a provider as JSON. */
function listAsText(text: string): string {
  return text.startsWith("[") ? text.replace(/[[\]"\s]/g, "") : text;
}

/** What is wrong with the inputs of a provider. What is not known yet is passed over. */
export function settingProblems(inputs: Values, urn: string, environment: NodeJS.ProcessEnv): string[] {
  const names = Object.keys(inputs).filter((name) => !ofEngine.has(name));
  const isDefault = isDefaultProvider(urn);
  // A project of this name has its own settings there.
  const isShared = isDefault && readUrn(urn).project === settingsNamespace;
  const strange = names.filter((name) => !isSetting(name));
  if (strange.length > 0 && !isShared) {
    return isDefault
      ? unknownSettings(strange.map((name) => `${settingsNamespace}:${name}`))
      : strange.map((name) => unknownOf(urn, name));
  }
  if (hasUnknown(inputs)) return [];
  const config = configOf(inputs, urn);
  const checks = [
    () => readSettings(config, environment),
    () => hasBaseUrl(config, environment) && readConnection(config, environment),
  ];
  return checks.flatMap((check) => {
    try {
      check();
      return [];
    } catch (error) {
      return [messageOf(error)];
    }
  });
}

function unknownOf(urn: string, name: string): string {
  const guess = nearest(name, settingNames);
  return `Provider "${nameOf(urn)}" has no setting ${name}. ${guess ? `Did you mean ${guess}?` : `Available: ${settingNames.join(", ")}`}`;
}
