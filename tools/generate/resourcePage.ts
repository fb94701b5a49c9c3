/** Writes the page of a resource: what a program may write, what changing it does, what comes out. */
import { type Handler, inPlaceOf } from "../../provider/lifecycle";
import { readExample, readNativeResource } from "./examples";
import { block, code, header, table } from "./markdown";
import { writeOutputs } from "./outputs";
import { describeFields, type Field } from "./schemaWords";
import type { SdkDocs } from "./sdkDocs";

/** Inputs of which more can be said than that they replace. */
const REPLACING: Readonly<Record<string, string>> = {
  adoptId: "replaces if it names another one; adding or removing it changes nothing",
  label: "replaces; removing it later changes nothing",
  select: "replaces, if the machine in use no longer fits",
  clusterName: "replaces; removing it later changes nothing",
  nodeName: "replaces; removing it later changes nothing",
};
const REPLACING_REGION = "replaces, unless the one in use is among `fallbackRegions`";

/** `BareMetalRental` → `bare-metal-rental` */
export function dashed(type: string): string {
  return type.replaceAll(/(?<!^)[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
}

const sshNote = "\nLogging in, keys, host keys and `waitForGpus`: see [ssh](ssh.md).\n";

export function writeResourcePage({ type, inputs, definition }: Handler, sdk: SdkDocs): string {
  if (!definition) throw new Error(`${type} is not for programs to make`);
  const { fields, lists } = describeFields(inputs);
  const { name, program } = readExample(dashed(type));
  const example = `examples/${name}`;
  const rows = fields.map((field) => inputRow(field, inPlaceOf(definition), "fallbackRegions" in inputs.shape));
  return `${header("the schema and the doc comments of the resource")}# ${type}

${sdk.get(type).description}

${block("ts", program)}
This is [${example}](../${example}/README.md); the tests run it.

## Inputs

${table(["input", "type", "default", "changing it", ""], rows)}${lists}
Creation may take ${definition.timeouts.create} and deletion ${definition.timeouts.delete}, unless \`timeouts\` says otherwise, or the resource option
\`customTimeouts\`.

## Outputs

The inputs with their defaults filled in, and:

${writeOutputs(sdk, type)}${"waitForSsh" in inputs.shape ? sshNote : ""}
## With the plugin

${writePluginPart(readNativeResource(type))}

## Existing resources

\`${type}.get(name, id)\` reads an existing one without managing it. The resource option \`import\`, like \`adoptId\`, brings one under
management: see [existing machines](real-accounts.md#existing-machines). With the plugin, the command \`pulumi import\` does, too:
\`pulumi import gpufleet:index:${type} NAME ID\`.
`;
}

function writePluginPart(yaml: string | undefined): string {
  const sameClass = "The import `pulumi-gpufleet/native` has the same class.";
  if (yaml === undefined) {
    return `${sameClass} In [other languages](languages.md) it is there under the corresponding names.`;
  }
  return `${sameClass} In YAML, and under the corresponding names in [other languages](languages.md):

${block("yaml", yaml)}
This is part of [examples/native-yaml](../examples/native-yaml/README.md).`;
}

function inputRow(field: Field, inPlace: readonly string[], hasFallbacks: boolean): string[] {
  const { name, type, presence, description } = field;
  const replacing = name === "region" && hasFallbacks ? REPLACING_REGION : (REPLACING[name] ?? "replaces");
  // What is inside an object changes with it.
  const effect = /[.[]/.test(name) ? "" : inPlace.includes(name) ? "in place" : replacing;
  return [code(name), type, presence, effect, description];
}
