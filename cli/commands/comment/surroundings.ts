import { resolve } from "node:path";
import type { Runtime } from "../../../provider/lifecycle";
import { readOrigin } from "../../../provider/shared/urn";
import { type Change, identityOf, type Preview, unchangedIn } from "../../preview";
import { commandRuntime, findProject, resourcesOf, Stack } from "../../stack";

/** What a comment can use besides the preview itself, where it is there: the service, and the stack's state. */

/**
 * The service, if a key is at hand. Where it is comes from the environment or from the stack's own configuration, never from
 * the preview: a file from elsewhere must not choose where a key is sent.
 */
export async function findService(
  preview: Preview,
  cwd: string,
  environment: NodeJS.ProcessEnv,
): Promise<Runtime | undefined> {
  if (environment["GPUFLEET_BASE_URL"] && environment["GPUFLEET_API_KEY"]) {
    const unit = preview.config?.["gpufleet:marketplacePriceUnit"];
    return commandRuntime((key) => (key === "marketplacePriceUnit" ? unit : undefined), environment);
  }
  const stack = await stackOf(preview, cwd);
  const config = await stack?.readConfig().catch(() => undefined);
  const hasKey = Boolean(environment["GPUFLEET_API_KEY"] || config?.("apiKey"));
  const hasUrl = Boolean(environment["GPUFLEET_BASE_URL"] || config?.("baseUrl"));
  return config && hasKey && hasUrl ? commandRuntime(config, environment) : undefined;
}

/** The resources of the stack's state that the preview does not show. None where the state cannot be read. */
export async function completeFromState(preview: Preview, changes: readonly Change[], cwd: string): Promise<Change[]> {
  const stack = await stackOf(preview, cwd);
  const state = await stack?.exportState().catch(() => undefined);
  const shown = new Set(changes.map(({ urn }) => urn));
  return unchangedIn((state ? resourcesOf(state) : []).filter(({ urn }) => !shown.has(urn)));
}

/** The stack that was previewed, if the project is here. By its full name, so that it is no other of the same name. */
async function stackOf(preview: Preview, cwd: string): Promise<Stack | undefined> {
  const identity = identityOf(preview);
  if (!identity || !(await findProject(resolve(cwd)))) return undefined;
  const { project, stack } = identity;
  const organization = organizationIn(preview);
  return new Stack({ cwd: resolve(cwd), stack: organization ? `${organization}/${project}/${stack}` : stack });
}

function organizationIn(preview: Preview): string | undefined {
  for (const { oldState, newState } of preview.steps ?? []) {
    const { organization } = readOrigin((newState ?? oldState)?.inputs["__origin"]);
    if (organization) return organization;
  }
  return undefined;
}
