import { z } from "zod";
import type { ReadConfig } from "../../../provider/fronts";
import { unresolvedFingerprint } from "../../../provider/lifecycle";
import { count } from "../../../provider/shared/count";
import { stackMark } from "../../../provider/shared/label";
import { messageOf } from "../../../provider/shared/messageOf";
import { identityOf } from "../../account";
import { commandLine, type Place } from "../../place";
import {
  type Activity,
  accountsOf,
  gpufleetType,
  type Project,
  partOf,
  pendingOf,
  readActivity,
  resourcesOf,
  Stack,
  type State,
  settingsOfLastRun,
} from "../../stack";
import { adviceWithoutStack, findBackend } from "./backend";
import { type Finding, fail, ok, unknown, warn } from "./finding";
import { lastRunFinding } from "./lastRun";
import { lockFinding } from "./lock";
import type { HeldState } from "./whereabouts";

export interface FoundStack {
  /** The accounts that the stack rents from, each with its part of the state. */
  accounts: { title: string | undefined; config: ReadConfig; held: HeldState | undefined }[] | undefined;
  findings: Finding[];
}

export async function findStack(place: Place, project: Project, environment: NodeJS.ProcessEnv): Promise<FoundStack> {
  const stack = new Stack(place);
  const backend = await findBackend(place, project, environment);
  try {
    const [name, state] = await Promise.all([stack.name(), stack.exportState()]);
    const { accounts, leftOut } = await accountsOf(stack, state, environment);
    const ours = resourcesOf(state).filter(gpufleetType).length;
    const identity = await identityOf(state, stack);
    const activity = await readActivity(stack);
    const findings = [
      backend.finding,
      ok("stack", `${name}, ${count(ours, "resource")} of this provider`),
      lockFinding(activity),
      ...pendingFindings(state, activity),
      ...(await configurationFindings(stack, state, environment)),
    ];
    const unasked = leftOut.map(({ provider, resources, reason }) =>
      warn(
        provider,
        `its account cannot be asked, so ${resources.length > 0 ? resources.join(", ") : "what it has"} is not checked`,
        reason,
      ),
    );
    return {
      accounts: accounts.map((account) => ({
        ...account,
        held: {
          state: partOf(state, account),
          marks: account.namespaces.map((namespace) => stackMark({ ...identity, namespace })),
        },
      })),
      findings: [...findings, ...unasked, ...(await plainKeyFindings(stack, environment))],
    };
  } catch (error) {
    const found = messageOf(error);
    const advice = adviceWithoutStack(place.stack, backend.url, project);
    return { accounts: undefined, findings: [backend.finding, fail("stack", found, advice)] };
  }
}

async function configurationFindings(stack: Stack, state: State, environment: NodeJS.ProcessEnv): Promise<Finding[]> {
  const lastRun = await settingsOfLastRun(stack, state);
  return lastRun ? [lastRunFinding(await stack.readConfig(), lastRun, environment)] : [];
}

export function pendingFindings(state: State, activity: Activity): Finding[] {
  const creates = pendingOf(state).filter(({ type, resource }) => type === "creating" && gpufleetType(resource));
  const unresolved = resourcesOf(state).filter(
    (one) => gpufleetType(one) && unresolvedFingerprint(one.id ?? "") !== undefined,
  );
  return [
    ...(creates.length > 0 ? [createsFinding(creates.length, activity)] : []),
    ...(unresolved.length > 0
      ? [
          warn(
            "unresolved creates",
            `${unresolved.length} whose result is unknown`,
            `Run \`${commandLine("pulumi up")}\`: it looks for each of them before it creates another, and says how to settle what cannot be found by a label.`,
          ),
        ]
      : []),
  ];
}

/** What a run that is still working is creating is not interrupted, and `recover` refuses to touch it. */
function createsFinding(amount: number, activity: Activity): Finding {
  if (activity.kind === "busy" && activity.isCertain) {
    return unknown("creates", `${amount} under way, by the run that is in progress`);
  }
  const found = `${amount} that may be running and billing`;
  const recover = `\`${commandLine("gpufleet recover")}\``;
  return activity.kind === "busy"
    ? warn("interrupted creates", found, `If the run that has locked the stack is over, run ${recover}.`)
    : fail("interrupted creates", found, `Run ${recover}.`);
}

const configuration = z.record(
  z.string(),
  z.looseObject({ value: z.string().optional(), secret: z.boolean().optional() }),
);

async function plainKeyFindings(stack: Stack, { GPUFLEET_API_KEY }: NodeJS.ProcessEnv): Promise<Finding[]> {
  const config = configuration.parse(JSON.parse(await stack.pulumi("config", "--json")));
  const entry = config["gpufleet:apiKey"];
  if (!entry || entry.secret === true) return [];
  const advice = GPUFLEET_API_KEY
    ? `Remove it with \`${commandLine("pulumi config rm gpufleet:apiKey")}\` (GPUFLEET_API_KEY is set), and create a new key.`
    : `Store it with \`${commandLine("pulumi config set --secret gpufleet:apiKey")}\`, and create a new key.`;
  return [fail("API key in plain text", "gpufleet:apiKey is in plain text in the stack's file and its state", advice)];
}
