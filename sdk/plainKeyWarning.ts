import * as pulumi from "@pulumi/pulumi";

const key = "gpufleet:apiKey";
let looked = false;

/** Says once per run that the API key lies in the stack's configuration for everyone to read. */
export function warnOfPlainKey(): void {
  if (looked) return;
  looked = true;
  if (pulumi.runtime.allConfig()[key] === undefined || isSecret()) return;
  pulumi.log.warn(
    `${key} is stored in plain text, in the stack's configuration and in its state. Replace the key, then store the new one with \`pulumi config set --secret ${key}\`, or keep it in GPUFLEET_API_KEY, where nothing stores it.`,
  );
}

/** Pulumi knows, but does not declare the function that tells; a version without it is not suspected. */
function isSecret(): boolean {
  const tell: unknown = Reflect.get(pulumi.runtime, "isConfigSecret");
  return typeof tell !== "function" || tell(key) === true;
}
