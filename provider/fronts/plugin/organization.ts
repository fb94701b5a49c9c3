import { z } from "zod";
import { onlyOrganization, readStackName, type StackName } from "../../shared/stackName";
import { type FindEngine, findEngine, namedStack } from "../engineCommand";
import { listStacks, type Pulumi } from "../pulumiCommand";

const account = z.object({ user: z.string(), url: z.string().optional() });

/**
 * The organization that a stack belongs to. A program knows it and hands it over where its SDK is ours; the protocol does not say
 * it. So it is asked of the command, once per process, and only for what no state tells anything of yet.
 */
export function organizations(
  pulumi: Pulumi,
  environment: NodeJS.ProcessEnv = process.env,
  engine: FindEngine = findEngine,
): (stack: Omit<StackName, "organization">) => Promise<string> {
  let asked: Promise<string> | undefined;
  const named = () => namedStack(engine, environment);
  return (stack) => {
    asked ??= isCloud(environment["PULUMI_BACKEND_URL"])
      ? ask(pulumi, stack, named).catch(() => onlyOrganization)
      : Promise.resolve(onlyOrganization);
    return asked;
  };
}

/** Whether this may be the address of Pulumi Cloud or one like it. Nothing given: whatever the user is logged in to. */
function isCloud(url: string | undefined): boolean {
  return url === undefined || url === "" || /^https?:/.test(url);
}

async function ask(
  pulumi: Pulumi,
  { project, stack }: Omit<StackName, "organization">,
  named: () => Promise<string | undefined>,
): Promise<string> {
  const { user, url = "" } = account.parse(JSON.parse(await pulumi("whoami", "--verbose", "--json")));
  if (url !== "" && !isCloud(url)) return onlyOrganization;
  const { organization } = readStackName((await named()) ?? "");
  if (organization !== undefined) return organization;
  const namesakes = (await listStacks(pulumi, "--project", project)).filter(({ name }) =>
    name.endsWith(`/${project}/${stack}`),
  );
  const found = namesakes.find(({ current }) => current) ?? namesakes[0];
  return readStackName(found?.name ?? "").organization ?? user;
}
