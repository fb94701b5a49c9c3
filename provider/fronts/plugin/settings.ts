import { isDeepStrictEqual } from "node:util";
import { isDefaultProvider, type Values } from "../../lifecycle";
import { messageOf } from "../../shared/messageOf";
import { whyEmpty } from "../../shared/prices";
import { isSetting, settingNames, settingsNamespace, unknownSettings } from "../../shared/settingNames";
import { nearest } from "../../shared/spelling";
import { hasUnknown } from "../../shared/unknown";
import { nameOf, readUrn } from "../../shared/urn";
import { hasBaseUrl, readConnection, readSettings, settingName } from "../configuration";
import { configOf } from "../providerInputs";

/** What the engine itself puts among the inputs of a provider. */
const ofEngine = new Set(["version", "pluginDownloadURL", "__internal"]);

/** The settings in which two providers differ. */
export function changedSettings(olds: Values, news: Values): string[] {
  const keys = new Set([...Object.keys(olds), ...Object.keys(news)]);
  return [...keys].filter((key) => !ofEngine.has(key) && !isDeepStrictEqual(olds[key], news[key]));
}

/** What is wrong with the inputs of a provider. What is not known yet is passed over. */
export function settingProblems(inputs: Values, urn: string, environment: NodeJS.ProcessEnv): string[] {
  const names = Object.keys(inputs).filter((name) => !ofEngine.has(name));
  const unknown = isDefaultProvider(urn)
    ? unknownSettings(
        names.map((name) => `${settingsNamespace}:${name}`),
        readUrn(urn).project,
      )
    : names.filter((name) => !isSetting(name)).map((name) => unknownOf(urn, name));
  const empty = whyEmpty(typeof inputs["prices"] === "string" ? inputs["prices"] : undefined);
  if (empty) unknown.push(`${settingName(configOf(inputs, urn), "prices")} ${empty}`);
  if (unknown.length > 0) return unknown;
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
