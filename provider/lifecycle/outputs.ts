import { readTimestamp } from "../service";
import { type Values, visible } from "./check";
import { expiryTime } from "./settings";
import { sshCommandFor, type View } from "./view";

/** What the state keeps: the inputs with their defaults, and what the record shows of the machine. */
export function outputsOf(inputs: object, view: View, now: number): Values {
  const given: Values = { ...inputs };
  const expiresAt = typeof given["expiresAt"] === "string" ? given["expiresAt"] : undefined;
  return visible({
    ...given,
    label: view.label ?? given["label"],
    region: view.region ?? given["region"],
    status: view.status,
    costPerHour: view.costPerHour,
    createdAt: view.createdAt,
    expiresAtTime: expiryTime(expiresAt, readTimestamp(view.createdAt) ?? now),
    ssh: view.ssh,
    sshCommand: view.sshCommand ?? sshCommandFor(view.ssh),
    ...view.outputs,
  });
}
