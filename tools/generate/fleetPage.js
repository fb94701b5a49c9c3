/** Writes docs/gpu-fleet.md from the doc comments of GpuFleet and its arguments. */
const fs = require("node:fs");
const path = require("node:path");
const { root } = require("../bootstrap/paths");
const { block, header } = require("./markdown");
const { writeArguments, writeOutputs } = require("./outputs");

const example = "examples/multi-region";

/** @param {import("./sdkDocs").SdkDocs} sdk */
function writeFleetPage(sdk) {
  const { description } = sdk.get("GpuFleet");
  const own = sdk.get("BareMetalFleetArgs").members.filter(({ name }) => name !== "kind");
  return `${header("the doc comments of `sdk/gpuFleet.ts` and `sdk/gpuFleetArgs.ts`")}# GpuFleet

${description}

${block("ts", fs.readFileSync(path.join(root, example, "index.ts"), "utf8"))}
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

module.exports = { writeFleetPage };
