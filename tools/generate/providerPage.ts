/** Writes docs/provider.md from the doc comments of Provider and its arguments. */
import { readExample } from "./examples";
import { block, header } from "./markdown";
import { writeArguments } from "./outputs";
import type { SdkDocs } from "./sdkDocs";

const shown = "two-accounts";
const example = `examples/${shown}`;

export function writeProviderPage(sdk: SdkDocs): string {
  return `${header("the doc comments of `sdk/provider.ts`")}# Provider

${sdk.get("Provider").description}

A program needs none as long as it has one account: that is the one of the environment and the
[stack's configuration](real-accounts.md#settings).

${block("ts", readExample(shown).program)}
This is [${example}](../${example}/README.md); the tests run it.

## Arguments

${sdk.get("ProviderArgs").description}

${writeArguments(sdk.get("ProviderArgs").members)}
With the plugin it is the \`Provider\` of \`pulumi-gpufleet/native\`, or \`pulumi:providers:gpufleet\` in [other languages](languages.md), with
the same settings.

## What it is for

- **Resources and fleets** take it as \`provider\`, in \`providers\`, or from their parent.
- **Functions and inference** take it as \`provider\`, or from the \`parent\` that they are given.
- **\`pulumi refresh\` and \`pulumi destroy\`** use the settings of the last \`pulumi up\`, which are in the state; the key is
  encrypted there. A key that was replaced since is not in the state: run \`pulumi up\` first, or add \`--run-program\`.
- **The commands of \`gpufleet\`** ask every account of the stack with the settings in the state, for which they need the stack's
  passphrase or key. What they cannot ask they name, with the reason.
- **\`namespace\`** is part of the labels, as that of the stack's configuration is, and \`maxCostPerHour\` limits what
  the stack runs in the account of this provider: also what another provider with the same key runs there.
`;
}
