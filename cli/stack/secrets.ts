import { isSecret } from "../../provider/shared/secretValue";

export { hasSecret } from "../../provider/shared/secretValue";

/** What a preview shows in the place of a secret. */
export const maskedSecret = "[secret]";

/** The value with its secrets in the open. They must have been exported in clear text. */
export function unwrapSecrets(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (isSecret(value)) return unwrapSecrets(plaintextOf(value));
  if (Array.isArray(value)) return value.map(unwrapSecrets);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, unwrapSecrets(member)]));
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
