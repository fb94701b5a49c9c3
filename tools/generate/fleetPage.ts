/** Writes docs/gpu-fleet.md from the doc comments of GpuFleet and its arguments. */
import { readExample } from "./examples";
import { block, header } from "./markdown";
import { writeArguments, writeOutputs } from "./outputs";
import type { SdkDocs } from "./sdkDocs";

const shown = "multi-region";
const example = `examples/${shown}`;

export function writeFleetPage(sdk: SdkDocs): string {
  const { description } = sdk.get("GpuFleet");
  const own = sdk.get("BareMetalFleetArgs").members.filter(({ name }) => name !== "kind");
  return `${header("the doc comments of `sdk/gpuFleet.ts` and `sdk/gpuFleetArgs.ts`")}# GpuFleet

${description}

${block("ts", readExample(shown).program)}
This is [${example}](../${example}/README.md); the tests run it. [examples/healing](../examples/healing/README.md) shows what happens
when a member is lost.

## Arguments

\`kind\` is \`"bare-metal"\` or \`"vm"\`. For both:

${writeArguments(sdk.get("FleetArgs").members)}
For \`kind: "bare-metal"\`:

${writeArguments(own)}
All other inputs of [BareMetalRental](bare-metal-rental.md) or [VmRental](vm-rental.md), except \`region\`, \`label\` and
\`adoptId\`, are passed on to the members.

## Outputs

${writeOutputs(sdk, "GpuFleet")}`;
}
