import { readTimestamp } from "../service";
import { type Values, visible } from "./check";
import { expiryTime } from "./settings";
import { sshCommandFor, type View } from "./view";

/**
 * Inputs that the outputs show otherwise than they were asked for, as they were asked for (null: not at all): a label that
 * came with an adopted machine, the region that had capacity, the machine that was chosen.
 */
const askedKey = "__asked";

/** What the state keeps: the inputs with their defaults, and what the record shows of the machine. */
export function outputsOf(inputs: object, view: View, now: number): Values {
  const given: Values = { ...inputs };
  const expiresAt = typeof given["expiresAt"] === "string" ? given["expiresAt"] : undefined;
  const outputs = visible({
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
  const asked = ["label", "region", "clusterName", "nodeName"]
    .filter((key) => outputs[key] !== given[key])
    .map((key) => [key, given[key] ?? null]);
  return asked.length > 0 ? { ...outputs, [askedKey]: Object.fromEntries(asked) } : outputs;
}

/** The inputs that a state was made from. */
export function inputsFrom(shape: object, state: Values): Values {
  const asked = state[askedKey];
  const values = { ...state, ...(typeof asked === "object" ? asked : {}) };
  return Object.fromEntries(Object.entries(visible(values)).filter(([key]) => key in shape));
}
