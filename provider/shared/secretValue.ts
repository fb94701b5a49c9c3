/** Marks a secret in an exported state; the value is the engine's own. */
const signatureKey = "4dabf18193072939515e22adb298388d";
const secretSignature = "1b47061264138c4ac30d75fd1eb44270";

export function isSecret(value: object): boolean {
  return Reflect.get(value, signatureKey) === secretSignature;
}

/** The value as a secret, as the engine reads it from a provider. */
export function secret(value: unknown): object {
  return { [signatureKey]: secretSignature, value };
}

/** The same as it may stand in an exported state, in clear text: `pulumi stack import` encrypts it. */
export function openSecret(value: unknown): object {
  return { [signatureKey]: secretSignature, plaintext: JSON.stringify(value) };
}

/** Values without those with a secret in them, and the names of these. */
export function withoutSecrets(values: Readonly<Record<string, unknown>>): {
  open: Record<string, unknown>;
  secrets: string[];
} {
  const secrets = Object.keys(values).filter((key) => hasSecret(values[key]));
  return { open: Object.fromEntries(Object.entries(values).filter(([key]) => !secrets.includes(key))), secrets };
}

/** Whether there is a secret in the value, however deep. */
export function hasSecret(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return isSecret(value) || Object.values(value).some(hasSecret);
}
