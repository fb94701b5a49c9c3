import * as pulumi from "@pulumi/pulumi";

const key = "gpufleet:apiKey";
let checked = false;

/** Warns, once per run, that the API key is stored unencrypted in the stack's configuration. */
export function warnAboutPlainKey(): void {
  if (checked) return;
  checked = true;
  if (pulumi.runtime.allConfig()[key] === undefined || isSecret()) return;
  pulumi.log.warn(
    `${key} is stored in plain text, in the stack's configuration and, with dynamic resources, in its state. Replace the key, then store the new one with \`pulumi config set --secret ${key}\`, or set GPUFLEET_API_KEY in the environment, which is never stored.`,
  );
}

/** Pulumi does not declare the type of this function. A version without it gives no warning. */
function isSecret(): boolean {
  const isConfigSecret: unknown = Reflect.get(pulumi.runtime, "isConfigSecret");
  return typeof isConfigSecret !== "function" || isConfigSecret(key) === true;
}
