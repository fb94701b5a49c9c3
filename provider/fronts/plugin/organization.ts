import { z } from "zod";
import type { StackName } from "../../lifecycle";

/** Backends other than Pulumi Cloud have one organization, of this name. */
const onlyOrganization = "organization";

const stacks = z.array(z.object({ name: z.string() }));
const account = z.object({ user: z.string(), url: z.string().optional() });

/**
 * The organization that a stack belongs to. A program knows it and hands it over where its SDK is ours; the protocol does not say
 * it. So it is asked of the command, once per process, and only for what no state tells anything of yet.
 */
export function organizations(
  pulumi: (...args: string[]) => Promise<string>,
  environment: NodeJS.ProcessEnv = process.env,
): (stack: Omit<StackName, "organization">) => Promise<string> {
  let asked: Promise<string> | undefined;
  return (stack) => {
    asked ??= isCloud(environment["PULUMI_BACKEND_URL"]) ? ask(pulumi, stack) : Promise.resolve(onlyOrganization);
    return asked;
  };
}

/** Whether this may be the address of Pulumi Cloud or one like it. Nothing given: whatever the user is logged in to. */
function isCloud(url: string | undefined): boolean {
  return url === undefined || url === "" || /^https?:/.test(url);
}

async function ask(
  pulumi: (...args: string[]) => Promise<string>,
  { project, stack }: Omit<StackName, "organization">,
): Promise<string> {
  try {
    const { user, url = "" } = account.parse(JSON.parse(await pulumi("whoami", "--verbose", "--json")));
    if (url !== "" && !isCloud(url)) return onlyOrganization;
    const listed = stacks.parse(JSON.parse(await pulumi("stack", "ls", "--project", project, "--json")));
    const parts = listed.map(({ name }) => name.split("/")).filter((name) => name.at(-1) === stack);
    // `stack` alone, or without an organization before it, is the user's own.
    return parts.find((name) => name.length > 1)?.[0] ?? user;
  } catch {
    return onlyOrganization;
  }
}
