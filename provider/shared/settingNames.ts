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
