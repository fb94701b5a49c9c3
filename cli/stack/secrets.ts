/** Marks a secret in an exported state; the value is the engine's own. */
const signatureKey = "4dabf18193072939515e22adb298388d";
const secretSignature = "1b47061264138c4ac30d75fd1eb44270";

/** What a preview shows in the place of a secret. */
export const maskedSecret = "[secret]";

/** Whether there is a secret in the value, however deep. */
export function hasSecret(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return isSecret(value) || Object.values(value).some(hasSecret);
}

/** The value with its secrets in the open. They must have been exported in clear text. */
export function unwrapSecrets(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (isSecret(value)) return unwrapSecrets(plaintextOf(value));
  if (Array.isArray(value)) return value.map(unwrapSecrets);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, unwrapSecrets(member)]));
}

function isSecret(value: object): boolean {
  return Reflect.get(value, signatureKey) === secretSignature;
}

function plaintextOf(secret: object): unknown {
  const text: unknown = Reflect.get(secret, "plaintext");
  if (typeof text !== "string") throw new Error("a secret in the state was not exported in clear text");
  return JSON.parse(text);
}

/** Secrets of the environment: what must appear in no comment and no message. */
export function secretsIn(environment: NodeJS.ProcessEnv): string[] {
  return [
    environment["GPUFLEET_API_KEY"],
    environment["PULUMI_CONFIG_PASSPHRASE"],
    environment["PULUMI_ACCESS_TOKEN"],
  ].filter((secret) => secret !== undefined);
}
