import { homedir } from "node:os";
import { z } from "zod";
import type { StackName } from "../../provider/lifecycle";
import { type SshFiles, sshFilesOf } from "../../provider/shared/sshFiles";
import { identityOf } from "../account";
import type { Place } from "../place";
import { findProject, Stack } from "../stack";
import { type Machine, machinesIn } from "./machines";

/** The machines of a stack, and where ssh keeps what it knows of them. */
export interface StackMachines {
  /** `project/stack` */
  name: string;
  machines: Machine[];
  files: SshFiles;
  /** The private key that opens them, where it is not one that ssh finds itself. */
  keyFile: string | undefined;
}

/** From the state alone: neither a key nor the service is needed. */
export async function readStackMachines(place: Place): Promise<StackMachines> {
  const stack = new Stack(place);
  const [stackName, state, keyFile] = await Promise.all([stack.name(), stack.exportState(), keyFileOf(stack)]);
  const identity = await identityOf(state, stackName, place);
  return { name: nameIn(identity), machines: machinesIn(state), files: sshFilesOf(identity), keyFile };
}

/** Where ssh keeps what it knows of a stack, also of one that is no more. */
export async function filesOfStack(place: Place): Promise<{ name: string; files: SshFiles }> {
  const identity = await knownIdentity(place);
  return { name: nameIn(identity), files: sshFilesOf(identity) };
}

async function knownIdentity(place: Place): Promise<StackName> {
  const stack = new Stack(place);
  try {
    const [stackName, state] = await Promise.all([stack.name(), stack.exportState()]);
    return await identityOf(state, stackName, place);
  } catch (error) {
    const project = (await findProject(place.cwd))?.name;
    const [name, ...owner] = (place.stack ?? "").split("/").reverse();
    if (project === undefined || !name) throw error;
    return {
      organization: owner.at(-1) ?? "",
      project: owner.length > 1 ? (owner[0] ?? project) : project,
      stack: name,
    };
  }
}

function nameIn({ project, stack }: StackName): string {
  return `${project}/${stack}`;
}

const setting = z.object({ "gpufleet:sshKeyFile": z.looseObject({ value: z.string().optional() }).optional() });

/** Secrets stay closed: nobody is asked for a passphrase to log in somewhere. */
async function keyFileOf(stack: Stack): Promise<string | undefined> {
  const given = process.env["GPUFLEET_SSH_KEY_FILE"] || (await configured(stack).catch(() => undefined));
  return given?.replace(/^~(?=\/)/, homedir());
}

async function configured(stack: Stack): Promise<string | undefined> {
  return setting.parse(JSON.parse(await stack.pulumi("config", "--json")))["gpufleet:sshKeyFile"]?.value;
}
