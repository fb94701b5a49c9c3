import { isSecret } from "../../provider/shared/secretValue";

export { hasSecret, openSecret } from "../../provider/shared/secretValue";

/** What a preview shows in the place of a secret. */
export const maskedSecret = "[secret]";

/** The value with its secrets in the open. They must have been exported in clear text. */
export function unwrapSecrets(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (isSecret(value)) return unwrapSecrets(plaintextOf(value));
  if (Array.isArray(value)) return value.map(unwrapSecrets);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, unwrapSecrets(member)]));
}

/** The texts in the secrets of a value. They must have been exported in clear text. */
export function secretTextsIn(value: unknown, isInside = false): string[] {
  if (typeof value === "string") return isInside ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  if (isSecret(value)) return secretTextsIn(plaintextOf(value), true);
  return Object.values(value).flatMap((member) => secretTextsIn(member, isInside));
}

function plaintextOf(secret: object): unknown {
  const text: unknown = Reflect.get(secret, "plaintext");
  if (typeof text !== "string") throw new Error("a secret in the state was not exported in clear text");
  return JSON.parse(text);
}

/** Of the service, of Pulumi, and of what its states may be kept in. */
const secretVariables = [
  "GPUFLEET_API_KEY",
  "PULUMI_CONFIG_PASSPHRASE",
  "PULUMI_ACCESS_TOKEN",
  "PGPASSWORD",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "AZURE_STORAGE_KEY",
  "AZURE_STORAGE_SAS_TOKEN",
];

/** Secrets of the environment: what must appear in no comment and no message. */
export function secretsIn(environment: NodeJS.ProcessEnv): string[] {
  return secretVariables.map((name) => environment[name]).filter((secret) => secret !== undefined);
}
