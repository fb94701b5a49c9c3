import type { Values } from "../../../provider/lifecycle";
import { hasUnknown } from "../../../provider/shared/unknown";
import { parsePreview } from "../../preview";
import { maskedSecret, PulumiError, type Stack } from "../../stack";

/**
 * What the program asks for in this resource, as far as a preview shows it: for a machine whose create left no record, and
 * whose own record does not show everything. Nothing where there is no preview to be had.
 */
export async function programInputs(stack: Stack, urn: string): Promise<Values> {
  try {
    const { steps } = parsePreview(await stack.pulumi("preview", "--json"), "`pulumi preview --json`");
    const wanted = steps?.findLast((step) => step.urn === urn && step.newState)?.newState?.inputs ?? {};
    return Object.fromEntries(Object.entries(wanted).filter(([key, value]) => isAskedFor(key, value)));
  } catch (error) {
    if (error instanceof PulumiError) return {};
    throw error;
  }
}

/** A label that was chosen for the preview is nobody's, and what is masked or not yet known is no value. */
function isAskedFor(key: string, value: unknown): boolean {
  return key !== "label" && !hasUnknown(value) && !JSON.stringify(value).includes(maskedSecret);
}
