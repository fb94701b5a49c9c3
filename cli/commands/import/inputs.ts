import {
  checkInputs,
  isBeyondRepair,
  type ResourceDefinition,
  type Values,
  type View,
} from "../../../provider/lifecycle";
import type { Written } from "../../program";

/** The inputs with which a machine can be adopted, or why it cannot. */
export type Adoption = { kind: "adoptable"; inputs: Record<string, Written> } | { kind: "refused"; reason: string };

/** Every input that the record shows: what is left out would be held against the default. */
export function adoptionOf(definition: ResourceDefinition, view: View): Adoption {
  if (isBeyondRepair(view.phase)) return { kind: "refused", reason: `its status is ${view.status}` };
  const shown = inputsIn(definition, view);
  const { label: _, ...unlabelled } = shown;
  // A label that no program could give is brought along by the machine itself.
  const inputs = failuresOf(definition, shown).length === 0 ? shown : unlabelled;
  const failures = failuresOf(definition, inputs);
  if (failures.length > 0) return { kind: "refused", reason: `no program can describe it: ${failures.join("; ")}` };
  return { kind: "adoptable", inputs };
}

function inputsIn({ inputs: { shape } }: ResourceDefinition, view: View): Record<string, Written> {
  const { id, observedInputs, outputs } = view;
  const values = {
    adoptId: /^[1-9]\d{0,14}$/.test(id) ? Number(id) : id,
    ...observedInputs,
    ...termIn(outputs?.["term"]),
  };
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) => (key in shape && isPlain(value) ? [[key, value]] : [])),
  );
}

/** A reserved term; without one a rental is billed by the hour, which is the default. */
function termIn(term: unknown): Values {
  if (typeof term !== "object" || term === null || Reflect.get(term, "termType") !== "reserved") return {};
  const { termPeriodDays, discountPercentage }: Values = { ...term };
  return { termType: "reserved", termPeriodDays, discountPercentage };
}

function isPlain(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function failuresOf({ type, inputs, checkTogether }: ResourceDefinition, given: Values): string[] {
  const { failures, inputs: checked } = checkInputs(type, inputs, given);
  const together = failures.length === 0 ? (checkTogether?.(checked) ?? []) : [];
  return [...failures, ...together].map(({ reason }) => reason);
}
