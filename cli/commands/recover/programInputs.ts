import type { Values } from "../../../provider/lifecycle";
import { hasUnknown } from "../../../provider/shared/unknown";
import { parsePreview } from "../../preview";
import { maskedSecret, PulumiError, type Stack } from "../../stack";

/**
 * What the program asks for in this resource, as far as a preview shows it: for a machine whose create left no record, and
 * whose own record does not show everything. Nothing where there is no preview to be had.
 */
export async function programInputs(stack: Stack, urn: string): Promise<Values> {
  const wanted = (await plannedState(stack, urn))?.inputs ?? {};
  return Object.fromEntries(Object.entries(wanted).filter(([key, value]) => isAskedFor(key, value)));
}

/** A reference to the provider that the program gives this resource, as far as a preview shows it. */
export async function programProvider(stack: Stack, urn: string): Promise<string | undefined> {
  const provider: unknown = (await plannedState(stack, urn))?.["provider"];
  return typeof provider === "string" ? provider : undefined;
}

async function plannedState(stack: Stack, urn: string) {
  try {
    const { steps } = parsePreview(await stack.pulumi("preview", "--json"), "`pulumi preview --json`");
    return steps?.findLast((step) => step.urn === urn && step.newState)?.newState ?? undefined;
  } catch (error) {
    if (error instanceof PulumiError) return undefined;
    throw error;
  }
}

/** A label that was chosen for the preview is nobody's, and what is masked or not yet known is no value. */
function isAskedFor(key: string, value: unknown): boolean {
  return key !== "label" && !hasUnknown(value) && !JSON.stringify(value).includes(maskedSecret);
}
