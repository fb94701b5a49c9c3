import { nearest } from "./spelling";

/** Where the stack's configuration has them. */
export const settingsNamespace = "gpufleet";

/** Settings of the stack's configuration (`gpufleet:<name>`) and of a `Provider`. */
export const settingNames = [
  "baseUrl",
  "apiKey",
  "v1BaseUrl",
  "namespace",
  "maxCostPerHour",
  "prices",
  "operations",
  "marketplacePriceUnit",
  "reconcileSeconds",
  "movedFrom",
  "sshKeyFile",
] as const;
export type SettingName = (typeof settingNames)[number];

/**
 * What is wrong with the names of these settings of a stack's configuration. A project of that name has its own settings there: only those
 * that look like a slip of the pen are wrong then.
 */
export function unknownSettings(keys: readonly string[], project: string): string[] {
  const prefix = `${settingsNamespace}:`;
  const isShared = project === settingsNamespace;
  return keys
    .filter((key) => key.startsWith(prefix))
    .map((key) => key.slice(prefix.length))
    .filter((name) => !isSetting(name))
    .map((name) => ({ name, guess: nearest(name, settingNames) }))
    .filter(({ guess }) => guess !== undefined || !isShared)
    .map(({ name, guess }) => {
      const advice = guess ? `Did you mean ${prefix}${guess}?` : `Available: ${settingNames.join(", ")}.`;
      const own = isShared ? " If it is one of your own, give it another name." : "";
      return `The setting ${prefix}${name} does not exist. ${advice} Remove it with \`pulumi config rm ${prefix}${name}\`.${own}`;
    });
}

export function isSetting(name: string): name is SettingName {
  const known: readonly string[] = settingNames;
  return known.includes(name);
}
