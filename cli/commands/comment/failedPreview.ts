import { resolve } from "node:path";
import type { Preview } from "../../preview";
import { findProject, stackType } from "../../stack";

/** Where `pulumi preview` has printed nothing, as when the stack does not exist: a preview that says only why it failed. */
export async function failedPreview(errors: string, stackName: string | undefined, cwd: string): Promise<Preview> {
  const message = errors.trim() || "`pulumi preview` printed nothing";
  const isMissing = /no stack named/.test(message);
  const advice = isMissing ? `. To create it, once: pulumi stack init ${stackName ?? "NAME"}` : "";
  const steps = await stackStep(stackName, cwd);
  return { steps, diagnostics: [{ severity: "error", message: `${message}${advice}` }] };
}

/** What the comment is about, so that the next one replaces it. */
async function stackStep(stackName: string | undefined, cwd: string): Promise<Preview["steps"]> {
  const project = (await findProject(resolve(cwd)))?.name;
  const stack = stackName?.slice(stackName.lastIndexOf("/") + 1);
  if (!project || !stack) return [];
  const urn = `urn:pulumi:${stack}::${project}::${stackType}::${project}-${stack}`;
  return [{ op: "same", urn, newState: { type: stackType, inputs: {}, outputs: {} } }];
}
