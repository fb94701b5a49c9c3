import { z } from "zod";
import type { Place, StackChoice } from "../place";
import { runPulumi } from "./pulumi";

/** The stacks that are meant, each once. */
export async function chooseStacks({ cwd, names, all }: StackChoice): Promise<Place[]> {
  if (all && names.length > 0) throw new Error("--all-stacks and --stack cannot be combined");
  if (!all && names.length === 0) return [{ cwd }];
  const listed = all || names.some(isPattern) ? await namesIn(cwd) : [];
  if (all && listed.length === 0) throw new Error("this project has no stacks");
  const chosen = all ? listed : names.flatMap((name) => (isPattern(name) ? matching(name, listed) : [name]));
  return [...new Set(chosen)].map((stack) => ({ cwd, stack }));
}

const stackList = z.array(
  z.looseObject({ name: z.string(), current: z.boolean().optional(), updateInProgress: z.boolean().optional() }),
);

/** The stacks of a project, by the names that `pulumi` takes there. */
export async function listStacks(cwd: string): Promise<z.infer<typeof stackList>> {
  return stackList.parse(JSON.parse(await runPulumi({ cwd }, ["stack", "ls", "--json"])));
}

async function namesIn(cwd: string): Promise<string[]> {
  return (await listStacks(cwd)).map(({ name }) => name).sort();
}

function isPattern(name: string): boolean {
  return name.includes("*");
}

/** Those of these names that fit, whole or without their organization and project. */
export function matching(pattern: string, names: readonly string[]): string[] {
  const parts = pattern.split("*").map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, "\\$&"));
  const fits = new RegExp(`^${parts.join(".*")}$`);
  const found = names.filter((name) => fits.test(name) || fits.test(name.slice(name.lastIndexOf("/") + 1)));
  if (found.length > 0) return found;
  throw new Error(`no stack of this project matches "${pattern}". It has ${names.join(", ") || "none"}.`);
}
