import type { Place } from "../../place";
import { findEngine } from "./engine";
import { type Finding, unknown } from "./finding";
import { findNode } from "./node";
import { findProjectSettings } from "./project";
import { findService } from "./service";
import { findStack } from "./stack";

/** Checks everything, in order: what depends on something missing is not checked. */
export async function examine(place: Place, environment: NodeJS.ProcessEnv): Promise<Finding[]> {
  const engine = await findEngine(place);
  const project = await findProjectSettings(place);
  const stack =
    engine.status === "ok" && project.found ? await findStack(place, project.found, environment) : undefined;
  const accounts = stack?.accounts ?? [{ config: () => undefined, title: undefined, held: undefined }];
  const service = [];
  for (const { config, title, held } of accounts) {
    const findings = await findService(config, environment, held);
    service.push(...findings.map((one) => (title === undefined ? one : { ...one, check: `${one.check}, ${title}` })));
  }
  return [
    findNode(),
    engine,
    ...project.findings,
    ...(stack?.findings ?? [unknown("stack", "not checked: it needs an engine and a project")]),
    ...service,
  ];
}
