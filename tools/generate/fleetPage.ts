/** Writes docs/gpu-fleet.md from the doc comments of GpuFleet and its arguments. */
import { readExample } from "./examples";
import { block, header } from "./markdown";
import { writeArguments, writeOutputs } from "./outputs";
import type { SdkDocs } from "./sdkDocs";

const shown = "multi-region";
const example = `examples/${shown}`;

const withPlugin = `resources:
  workers:
    type: gpufleet:GpuFleet
    properties:
      kind: vm
      count: 2
      regions: [us-central-1, us-east-1]
      gpuCount: 1
`;

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

## What to expect

- **Coming up.** Members are rented without waiting, so their rows say \`created\` early; until a member is ready, its row also says who waits
  for it: \`<fleet>-ready\`, which shows how many are ready and what all cost. If a member cannot be rented or fails, the error names
  what bills by then and how to go on.
- **Changing.** Another \`count\`, another order of \`regions\` or a further region touch no other member. An argument of the machines
  replaces all of them, in the way that \`replacement\` says. \`{ batch: n }\` counts within one \`pulumi up\`; after a failure the members that are
  left keep running as they are.
- **Ending.** \`pulumi destroy\` ends all members at once: \`<fleet>-ended\`, deleted last, waits until none of them bills, and stays in the
  state with an error that names them while one does. After an interrupted destroy, run it again, with \`--refresh=false\` if its refresh refuses. Members with a volume of their own
  (\`storageVolume: {isNew: true}\`), and VMs whose records show no status, are waited for a few at a time; so are members that leave with a
  smaller \`count\`, and those of a destroy with \`--target\` or \`--exclude\`.
- **Rows.** A fleet of 8 with a volume is 13 rows: the fleet, its members, two gates, the volume and its attachment.

## Outputs

${writeOutputs(sdk, "GpuFleet")}
## With the plugin

The import \`pulumi-gpufleet/native\` has the same class. For [other languages](languages.md) the plugin has it as a component, without
\`rentals\` and \`volume\`:

${block("yaml", withPlugin)}`;
}
