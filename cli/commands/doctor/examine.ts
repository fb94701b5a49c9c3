import type { ReadConfig } from "../../../provider/configuration";
import type { Place } from "../../stack";
import { findEngine } from "./engine";
import { type Finding, unknown } from "./finding";
import { findProjectSettings } from "./project";
import { findService } from "./service";
import { findStack } from "./stack";

/** Everything that must be right, from the ground up: what stands on something that is missing is not looked at. */
export async function examine(place: Place, environment: NodeJS.ProcessEnv): Promise<Finding[]> {
  const engine = await findEngine(place);
  const project = await findProjectSettings(place);
  const stack = engine.is === "right" && project.found ? await findStack(place, environment) : undefined;
  const config: ReadConfig = stack?.config ?? (() => undefined);
  return [
    engine,
    ...project.findings,
    ...(stack?.findings ?? [unknown("stack", "not looked at: there must be an engine and a project first")]),
    ...(await findService(config, environment)),
  ];
}
