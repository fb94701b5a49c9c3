import { exitCodes, placeOf, type StackFlags } from "../../options";
import { paintFor, print } from "../../terminal";
import { examine } from "./examine";
import { showFindings } from "./show";

export interface Flags extends StackFlags {
  json?: boolean;
}

export async function run(flags: Flags): Promise<void> {
  const findings = await examine(placeOf(flags), process.env);
  print(flags.json ? JSON.stringify({ findings }, null, 2) : showFindings(findings, paintFor(process.stdout)));
  if (findings.some(({ status }) => status === "error")) process.exitCode = exitCodes.found;
}
