import { configuredRuntime, hasBaseUrl, type ReadConfig, readSecrets } from "../../provider/fronts";
import { type EngineLink, noEngine, type Runtime, type StateWitness } from "../../provider/lifecycle";
import { messageOf } from "../../provider/shared/messageOf";
import { commandLine, type Place } from "../place";
import { complain, keepSecret } from "../terminal";
import { findProject } from "./project";
import { Stack } from "./stack";

/**
 * What the provider's own code works with, here without an engine: the service that the stack is configured for, with the
 * environment before the configuration, as in the provider. Warnings go to standard error.
 */
export function commandRuntime(
  config: ReadConfig,
  environment: NodeJS.ProcessEnv = process.env,
  state?: StateWitness,
): Runtime {
  keepSecret(...readSecrets(config, environment));
  return configuredRuntime(config, { engine: terminal, ...(state && { state }) }, environment);
}

/**
 * The same for what needs no stack: outside a project, or where no stack can be read, the environment alone says which service
 * is meant.
 */
export async function serviceRuntime(place: Place, environment: NodeJS.ProcessEnv = process.env): Promise<Runtime> {
  const nothing: ReadConfig = () => undefined;
  if (!(await findProject(place.cwd))) return commandRuntime(nothing, environment);
  try {
    return commandRuntime(await new Stack(place).readConfig(), environment);
  } catch (error) {
    if (!hasBaseUrl(nothing, environment)) throw error;
    complain(`gpufleet: the configuration of the stack is not used, because it cannot be read: ${messageOf(error)}`);
    return commandRuntime(nothing, environment);
  }
}

const terminal: EngineLink = {
  ...noEngine,
  info: (_urn, text) => complain(`gpufleet: ${text}`),
  warn: (_urn, text) => complain(`gpufleet: warning: ${text}`),
  commandLine: (words) => commandLine(words),
};
