import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { messageOf } from "../../provider/shared/messageOf";

/** A Pulumi project file, as far as it is looked at. */
export interface Project {
  file: string;
  name: string | undefined;
  /** `options.refresh` */
  refresh: string | undefined;
  /** `backend.url` */
  backend: string | undefined;
  /** The stacks that have a file with settings beside it. */
  stacks: string[];
}

/** The project of this folder or of one above, as the engine finds it. */
export async function findProject(folder: string): Promise<Project | undefined> {
  const file = ["Pulumi.yaml", "Pulumi.yml"].map((name) => join(folder, name)).find((path) => existsSync(path));
  if (file) return readProject(file);
  const above = dirname(folder);
  return above === folder ? undefined : findProject(above);
}

const text = z.string().optional().catch(undefined);
const settings = z
  .object({
    name: text,
    options: z.object({ refresh: text }).optional().catch(undefined),
    backend: z.object({ url: text }).optional().catch(undefined),
  })
  .catch({ name: undefined, options: undefined, backend: undefined });

async function readProject(file: string): Promise<Project> {
  const { parse } = await import("yaml");
  try {
    const { name, options, backend } = settings.parse(parse(readFileSync(file, "utf8")));
    return { file, name, refresh: options?.refresh, backend: backend?.url, stacks: stacksBeside(file) };
  } catch (error) {
    const [reason] = messageOf(error).split("\n");
    throw new Error(`cannot read ${file}: ${reason}`, { cause: error });
  }
}

function stacksBeside(file: string): string[] {
  return readdirSync(dirname(file))
    .flatMap((name) => /^Pulumi\.(.+)\.ya?ml$/.exec(name)?.[1] ?? [])
    .sort();
}
