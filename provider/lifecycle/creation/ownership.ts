import { cleanText } from "../../client";
import { showDuration } from "../../shared/duration";
import { mayBeRewritten, plainLabel, readLabel } from "../../shared/label";
import { readTimestamp } from "../../shared/timestamp";
import type { Operation, OperationContext } from "../definition";
import { isLive, type LifecycleInputs, namesOf, showCost, type View } from "../model";

/** Whether the label is an automatic one of this very resource: then it is proof of whose a machine is. */
export function hasOwnMark({ marks, inputs: { label } }: OperationContext<{ label?: unknown }>): boolean {
  const found = typeof label === "string" ? readLabel(label) : undefined;
  return found?.stack === marks.stack && found.resource === marks.resource;
}

/** The label, or what stands in for it where there is none. */
export function fingerprintOf({ definition, inputs }: OperationContext<LifecycleInputs>): string {
  return inputs.label ?? definition.fingerprint?.(inputs) ?? "";
}

/** Whether a service may have made the label that it shows of the one that was asked for. Of a chosen one half must be left. */
export function mayBeMadeOf(label: string, shown: string): boolean {
  const [own, other] = [plainLabel(label), plainLabel(shown)];
  if (own === other || mayBeRewritten(label, shown)) return true;
  const isChosen = readLabel(label) === undefined;
  return isChosen && (other.includes(own) || (own.startsWith(other) && other.length * 2 >= own.length));
}

/** The answer to a create names a machine that it has not made. */
export class AnothersAnswer extends Error {
  /** The id of the answer, where only a label speaks against it: it may be the outcome all the same. */
  readonly answered: string | undefined;

  constructor(
    operation: Operation,
    view: View,
    { mayBeIt, why = "which is not the one that was created" }: { mayBeIt: boolean; why?: string },
  ) {
    super(`the service answered with ${describe(operation, view)}, ${why}`);
    this.answered = mayBeIt ? view.id : undefined;
  }
}

/** Whether it may bill and no resource has it. */
export function isFree({ runtime, type }: Operation, view: View): boolean {
  return isLive(view) && namesOf(view).every((name) => runtime.memory.isFree(type, name));
}

/** `bare-metal rental 1042 "train-…" (Running, 8×h100 in us-central-1, $19.92/h, for 3h12m)` */
export function describe({ noun, runtime }: Operation, view: View): string {
  const created = readTimestamp(view.createdAt);
  const facts = [
    view.status,
    [view.size, view.region && `in ${view.region}`].filter(Boolean).join(" "),
    showCost(view),
    created === undefined ? "" : `for ${showDuration(runtime.client.serviceNow() - created)}`,
  ];
  const label = view.label ? ` "${view.label}"` : "";
  // Label and status are whatever the service says, and this goes to terminals.
  return cleanText(`${noun} ${view.id}${label} (${facts.filter(Boolean).join(", ")})`);
}

/** Where what the record shows is not what the inputs ask for. A fallback region is as good as the region. */
export function differences(view: View, inputs: object): string[] {
  const asked = new Map<string, unknown>(Object.entries(inputs));
  const fallbacks = asked.get("fallbackRegions");
  return Object.entries(view.observedInputs)
    .filter(([key, value]) => {
      const wanted = asked.get(key) ?? undefined;
      if (wanted === undefined || value === undefined || JSON.stringify(wanted) === JSON.stringify(value)) return false;
      return !(key === "region" && Array.isArray(fallbacks) && fallbacks.includes(value));
    })
    .map(([key, value]) => `${key} is ${JSON.stringify(value)}, not ${JSON.stringify(asked.get(key))}`);
}
