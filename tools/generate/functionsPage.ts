/** Writes docs/functions.md: what a program can ask the service besides declaring resources. */
import { header } from "./markdown";
import { writeArguments, writePart } from "./outputs";
import type { DocumentedFunction, SdkDocs } from "./sdkDocs";

const introduction = `# Functions and inference

What a program can ask the service besides declaring resources. Where the service is and who asks come from the
environment and the stack's configuration, as for resources; in a plain script, from the environment alone. The options
\`provider\` and \`parent\` name another account, as for resources: see [Provider](provider.md). In a
[unit test](unit-tests.md), the mocks answer.

`;

const functionsIntroduction = `## Functions

Each is a promise, and has a form that takes inputs and gives an output: \`getBalance()\` and \`getBalanceOutput()\`. The plugin has them for
[other languages](languages.md) as \`gpufleet:getBalance\` and so on.

Each ends within four minutes, whatever the service does: one that asks to come back later (429, \`Retry-After\`) is asked again until then. The option
\`signal\` ends a call earlier. Items of a list that cannot be read are left out, and a warning says how many.

`;

const inferenceIntroduction = `## Inference

Every call is billed, also in a preview: \`pulumi.runtime.isDryRun()\` tells when not to ask.

An answer may take ten minutes. A service that asks to come back later is asked again for a minute; after that, its refusal is the error.

`;

export function writeFunctionsPage(sdk: SdkDocs): string {
  return (
    header("the doc comments of `sdk/functions` and `sdk/inference.ts`") +
    introduction +
    functionsIntroduction +
    sdk
      .functions("functions")
      .map((found) => writeFunction(found, sdk))
      .join("") +
    inferenceIntroduction +
    sdk
      .functions("inference.ts")
      .map((found) => writeFunction(found, sdk))
      .join("")
      .trimEnd() +
    "\n"
  );
}

function writeFunction({ name, description, argument, result }: DocumentedFunction, sdk: SdkDocs): string {
  // How the service is reached is the same for all.
  const hasArguments = sdk.find(argument) && argument !== "CallOptions";
  const parts = [
    `### ${name}`,
    description,
    hasArguments ? writeArguments(sdk.getWhole(argument).members).trimEnd() : "",
  ];
  const results = sdk.partsOf(result).map(writePart).join("");
  return `${parts.filter((part) => part !== "").join("\n\n")}\n\nGives \`${result}\`.\n${results}\n`;
}
