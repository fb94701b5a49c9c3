import { readStackName, type StackName } from "../shared/stackName";
import { type FindEngine, namedStack } from "./engineCommand";
import { listStacks, type Pulumi } from "./pulumiCommand";

/** The stack that a run is about: the one that its command names, or else the selected one of its project. */
export async function stackOfRun(
  pulumi: Pulumi,
  environment: NodeJS.ProcessEnv,
  engine: FindEngine,
): Promise<Partial<StackName> | undefined> {
  const named = await namedStack(engine, environment);
  const stacks = (await listStacks(pulumi)).map(({ name, current }) => ({ ...readStackName(name), current }));
  const found = stacks.find((one) => (named === undefined ? one.current : isCalled(one, readStackName(named))));
  if (!found) return undefined;
  const { current: _, ...name } = found;
  return name;
}

/** A command may leave out whose it is, and of which project; so does the list of a layout without projects. */
function isCalled(stack: Partial<StackName>, named: Partial<StackName>): boolean {
  const parts = ["organization", "project", "stack"] as const;
  return parts.every((part) => (stack[part] ?? named[part]) === (named[part] ?? stack[part]));
}
