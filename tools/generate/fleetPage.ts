/** Writes docs/gpu-fleet.md from the doc comments of GpuFleet and its arguments. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../bootstrap/paths";
import { block, header } from "./markdown";
import { writeArguments, writeOutputs } from "./outputs";
import type { SdkDocs } from "./sdkDocs";

const example = "examples/multi-region";

export function writeFleetPage(sdk: SdkDocs): string {
  const { description } = sdk.get("GpuFleet");
  const own = sdk.get("BareMetalFleetArgs").members.filter(({ name }) => name !== "kind");
  return `${header("the doc comments of `sdk/gpuFleet.ts` and `sdk/gpuFleetArgs.ts`")}# GpuFleet

${description}

${block("ts", readFileSync(join(root, example, "index.ts"), "utf8"))}
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
