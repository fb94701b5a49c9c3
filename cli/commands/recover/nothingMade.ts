import { OperationUnavailableError } from "../../../provider/client";
import {
  describe,
  isLive,
  type ResourceDefinition,
  type Runtime,
  type Snapshot,
  unresolvedFingerprint,
} from "../../../provider/lifecycle";
import { hasWhole, readLabel } from "../../../provider/shared/label";
import { namesOfUnreadable } from "../../../provider/shared/namesOfUnreadable";
import { inQuotes } from "../../../provider/shared/shell";
import { definitionOf, gpufleetType, resourcesOf, type State, type StateResource, titleOf } from "../../stack";
import { statusLine } from "../../terminal";
import { refusal } from "./adopt";
import { replacedBy } from "./insertEntry";
import { type ManagedResource, operationFor } from "./managedResource";
import { type Decision, describeRest } from "./plan";
import { isUnresolved } from "./unresolvedCreate";

interface NothingMade {
  state: State;
  /** The part of it that the account has. */
  part?: State;
  urn: string;
  /** The creates of this resource that were interrupted, as far as the engine kept a record of them. */
  pending: readonly ManagedResource[];
  /** Also where its label is listed. */
  force: boolean;
}

/** Drops a create, because a person says that it has created nothing: what it has condemned to be replaced stays. */
export async function planNothingMade(
  runtime: Runtime,
  { state, part = state, urn, pending, force }: NothingMade,
): Promise<Decision[]> {
  const unresolved = resourcesOf(part).filter((one) => one.urn === urn && isUnresolved(one));
  const creates = [...unresolved, ...pending.map(({ resource }) => resource)];
  if (creates.length === 0) throw refusal(`the state has no unresolved or interrupted create of ${urn}`);
  if (!force) for (const create of creates) await refuseIfMade(runtime, create, part);
  const restored = unresolved.flatMap((one) => replacedBy(resourcesOf(state), one) ?? []);
  const [old] = restored;
  const rest = old
    ? `${old.id}, which it was to replace, has its place in the state again: the next \`pulumi up\` deletes it only if it creates another one.`
    : describeRest(state, urn);
  const because = `because you said that nothing was created. ${rest}`;
  return [
    ...unresolved.map((removed) => ({
      removed: [removed],
      restored,
      line: `${titleOf(removed)}: ${removed.id} is removed from the state, ${because}`,
    })),
    ...pending.map(({ resource }) => ({ line: `${titleOf(resource)}: its interrupted create is dropped, ${because}` })),
  ];
}

/** An automatic label that is listed proves the contrary, unless the state has the machine already: then nothing else was made. */
async function refuseIfMade(runtime: Runtime, create: StateResource, state: State): Promise<void> {
  const definition = definitionOf(gpufleetType(create));
  const label = unresolvedFingerprint(create.id ?? "") ?? create.inputs?.["label"];
  if (!definition || typeof label !== "string" || readLabel(label) === undefined) return;
  const snapshot = await listOf(runtime, definition);
  const held = resourcesOf(state).flatMap((one) => (gpufleetType(one) === definition.type ? (one.id ?? []) : []));
  const isHeld = (id: string) => snapshot?.namesOf(id).some((name) => held.includes(name)) === true;
  // A service may show it in other letters, or with something around it.
  const alike = snapshot?.views().filter((view) => isLive(view) && hasWhole(view.label, label) && !isHeld(view.id));
  const made = alike?.find((view) => view.label === label) ?? alike?.[0];
  const anyway = "Pass --force to drop the create anyway.";
  if (made) {
    const operation = operationFor(runtime, definition, create.inputs ?? {}, 0);
    const command = `gpufleet recover --adopt ${made.id} --urn ${inQuotes(create.urn)}`;
    const ways = made.label === label ? "`gpufleet recover` or `pulumi up` takes" : `\`${command}\` takes`;
    throw refusal(`${describe(operation, made)} has its label, so it was created. ${ways} it over. ${anyway}`);
  }
  const unreadable = snapshot?.unreadable.find(
    (one) => hasWhole(one.label, label) && !(one.id !== undefined && isHeld(one.id)),
  );
  if (!unreadable) return;
  const [name = "of unknown id"] = namesOfUnreadable(unreadable);
  throw refusal(
    `${definition.noun} ${name} has its label, so it was created; its record cannot be read: ${unreadable.reason}. ${anyway}`,
  );
}

async function listOf(runtime: Runtime, { kind }: ResourceDefinition): Promise<Snapshot<unknown> | undefined> {
  try {
    const list = runtime.lists.of(kind);
    return await statusLine.during(`Listing ${kind.plural}…`, () => list.fresh());
  } catch (error) {
    if (error instanceof OperationUnavailableError) return undefined;
    throw error;
  }
}
