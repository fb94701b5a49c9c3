import type { JudgedMachine } from "../../../provider/resources";
import { availableGpus } from "../../../provider/service";
import { count } from "../../../provider/shared/count";
import { showPerHour } from "../../../provider/shared/money";
import { importLine, Names, type Written, writeComment, writeResource, writeValue } from "../../program";
import type { Search } from "./asked";

/** A program that rents this machine. */
export function rentingProgram({ machine, facts }: JudgedMachine, { criteria, gpuCount }: Search): string {
  const names = new Names();
  const resource = {
    variable: "machine",
    type: "MarketplaceInstance",
    name: names.resource(facts.gpuModel.toLowerCase(), "machine"),
    inputs: { clusterName: machine.cluster_name, nodeName: machine.id, gpuCount },
  };
  const asked: [string, Written][] = Object.entries({ gpuModel: facts.gpuModel, ...criteria }).flatMap(
    ([key, value]) => (value === undefined ? [] : [[key, value]]),
  );
  const select = writeValue(Object.fromEntries(asked)).replace(/\s+/g, " ").replace(", }", " }");
  return [
    importLine,
    "",
    ...writeComment(
      `${facts.gpuModel} with ${facts.gpuRamGb} GB each in ${facts.region}: ${availableGpus(machine)} of ${count(machine.gpus_total, "GPU")} free, ${showPerHour(facts.pricePerGpuHour * gpuCount)} for ${gpuCount}.`,
      `To take whichever is the cheapest when \`up\` runs, write instead of clusterName and nodeName:`,
      `select: ${select},`,
    ),
    writeResource(resource),
    "",
    "export const ssh = machine.sshCommand;",
    "export const costPerHour = machine.costPerHour;",
  ].join("\n");
}
