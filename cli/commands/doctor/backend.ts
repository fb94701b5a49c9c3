import { z } from "zod";
import { cleanText } from "../../../provider/shared/cleanText";
import { messageOf } from "../../../provider/shared/messageOf";
import type { Place } from "../../place";
import { type Project, runPulumi } from "../../stack";
import { type Finding, fail, ok, warn } from "./finding";

const check = "backend";
const identity = z.looseObject({ url: z.string() });

/** Where the states are kept, and by what that was chosen. */
export async function findBackend(
  { cwd }: Place,
  project: Project,
  environment: NodeJS.ProcessEnv,
): Promise<{ url: string | undefined; finding: Finding }> {
  try {
    const url = shown(identity.parse(JSON.parse(await runPulumi({ cwd }, ["whoami", "--verbose", "--json"]))).url);
    return { url, finding: backendFinding(url, project, environment) };
  } catch (error) {
    return {
      url: undefined,
      finding: fail(check, messageOf(error), "Log in with `pulumi login`, or set PULUMI_BACKEND_URL."),
    };
  }
}

export function backendFinding(url: string, project: Project, { PULUMI_BACKEND_URL }: NodeJS.ProcessEnv): Finding {
  if (!PULUMI_BACKEND_URL) return ok(check, `${url}, from ${project.backend ? project.file : "`pulumi login`"}`);
  if (!project.backend || isSame(project.backend, PULUMI_BACKEND_URL))
    return ok(check, `${url}, from PULUMI_BACKEND_URL`);
  return warn(
    check,
    `${url}, from PULUMI_BACKEND_URL, but the project says ${shown(project.backend)}`,
    "Unset PULUMI_BACKEND_URL if the stack's state is where the project says: an empty state elsewhere makes the next `up` rent everything again.",
  );
}

/** What to do where there is no such stack: its settings tell that there is one somewhere. */
export function adviceWithoutStack(wanted: string | undefined, url: string | undefined, { stacks }: Project): string {
  const settings =
    wanted === undefined ? stacks : stacks.filter((name) => name === wanted.slice(wanted.lastIndexOf("/") + 1));
  const select = "Select one with `pulumi stack select`, log in with `pulumi login`, or set PULUMI_CONFIG_PASSPHRASE.";
  if (settings.length === 0 || url === undefined) return select;
  const files = settings.map((name) => `Pulumi.${name}.yaml`).join(", ");
  return `The project has ${files}. If ${url} has no such stack, its state is kept in another backend: set PULUMI_BACKEND_URL or run \`pulumi login\` for that one first, and do not create the stack anew. ${select}`;
}

const isSame = (one: string, other: string) => one.replace(/\/+$/, "") === other.replace(/\/+$/, "");

/** Without the credentials that may stand in it. */
const shown = (url: string) => cleanText(url, { max: 200 });
