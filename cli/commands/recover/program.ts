import type { Values } from "../../../provider/lifecycle";
import { isAutomaticLabel } from "../../../provider/shared/label";
import { hasUnknown } from "../../../provider/shared/unknown";
import { providerIn } from "../../../provider/shared/urn";
import { parsePreview } from "../../preview";
import { maskedSecret, PulumiError, type Stack } from "../../stack";

/** What the program says of a resource now, as far as a preview shows it: nothing where there is no preview to be had. */
export interface Program {
  /** What it asks for: for a machine whose create left no record, and whose own record does not show everything. */
  inputs(urn: string): Promise<Values>;
  /** The names of those inputs that it gives as secrets, which no preview shows. */
  secrets(urn: string): Promise<string[]>;
  /** URN of the provider that it gives the resource. */
  provider(urn: string): Promise<string | undefined>;
}

/** The program of a stack. It is run when it is first asked, and once. */
export function programOf(stack: Pick<Stack, "pulumi">): Program {
  let steps: ReturnType<typeof plannedSteps> | undefined;
  const planned = async (urn: string) => {
    steps ??= plannedSteps(stack);
    return (await steps).findLast((step) => step.urn === urn && step.newState)?.newState ?? undefined;
  };
  const wanted = async (urn: string) => Object.entries((await planned(urn))?.inputs ?? {});
  return {
    inputs: async (urn) => Object.fromEntries((await wanted(urn)).filter(([key, value]) => isAskedFor(key, value))),
    secrets: async (urn) => (await wanted(urn)).flatMap(([key, value]) => (isMasked(value) ? [key] : [])),
    provider: async (urn) => {
      const reference: unknown = (await planned(urn))?.["provider"];
      return typeof reference === "string" ? providerIn(reference) : undefined;
    },
  };
}

async function plannedSteps(stack: Pick<Stack, "pulumi">) {
  try {
    return parsePreview(await stack.pulumi("preview", "--json"), "`pulumi preview --json`").steps ?? [];
  } catch (error) {
    if (error instanceof PulumiError) return [];
    throw error;
  }
}

/** An automatic label that was made for the preview is nobody's, and what is masked or not yet known is no value. */
function isAskedFor(key: string, value: unknown): boolean {
  return !(key === "label" && isAutomaticLabel(value)) && !hasUnknown(value) && !isMasked(value);
}

function isMasked(value: unknown): boolean {
  return JSON.stringify(value).includes(maskedSecret);
}
