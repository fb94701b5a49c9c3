import type { ReadConfig } from "../../../provider/fronts";
import type { Place } from "../../stack";
import { findEngine } from "./engine";
import { type Finding, unknown } from "./finding";
import { findProjectSettings } from "./project";
import { findService } from "./service";
import { findStack } from "./stack";

/** Checks everything, in order: what depends on something missing is not checked. */
export async function examine(place: Place, environment: NodeJS.ProcessEnv): Promise<Finding[]> {
  const engine = await findEngine(place);
  const project = await findProjectSettings(place);
  const stack = engine.status === "ok" && project.found ? await findStack(place, environment) : undefined;
  const config: ReadConfig = stack?.config ?? (() => undefined);
  return [
    engine,
    ...project.findings,
    ...(stack?.findings ?? [unknown("stack", "not checked: it needs an engine and a project")]),
    ...(await findService(config, environment, stack?.state)),
  ];
}
