import { homedir } from "node:os";
import { z } from "zod";
import type { StackName } from "../../provider/lifecycle";
import { type SshFiles, sshFilesOf } from "../../provider/shared/sshFiles";
import { readStackName, shortName } from "../../provider/shared/stackName";
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
  const [state, keyFile] = await Promise.all([stack.exportState(), keyFileOf(stack)]);
  const identity = await identityOf(state, stack);
  return { name: shortName(identity), machines: machinesIn(state), files: sshFilesOf(identity), keyFile };
}

/** Where ssh keeps what it knows of a stack, also of one that is no more. */
export async function filesOfStack(place: Place): Promise<{ name: string; files: SshFiles }> {
  const identity = await knownIdentity(place);
  return { name: shortName(identity), files: sshFilesOf(identity) };
}

async function knownIdentity(place: Place): Promise<StackName> {
  const stack = new Stack(place);
  try {
    return await identityOf(await stack.exportState(), stack);
  } catch (error) {
    const project = (await findProject(place.cwd))?.name;
    if (project === undefined || !place.stack) throw error;
    return { organization: "", project, ...readStackName(place.stack) };
  }
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
