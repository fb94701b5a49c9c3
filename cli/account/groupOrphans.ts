import { holds, mayBe, predecessorsKey, type Service, unresolvedFingerprint } from "../../provider/lifecycle";
import { isAutomaticLabel } from "../../provider/shared/label";
import { nameOf } from "../../provider/shared/urn";
import { compare, inlineVolumeId } from "../money";
import {
  bareMetalRentalType,
  gpufleetType,
  type OtherStacks,
  resourcesOf,
  type State,
  storageVolumeType,
} from "../stack";
import type { Gap } from "./gaps";
import type { Holding } from "./holdings";
import { interruptedCreatesIn, mayBeMadeBy, openCreatesIn } from "./openCreates";
import type { Situation } from "./situation";
import { twinIn } from "./twins";

/** What the account has and this stack's state has not, by who has it or created it. */
export interface Orphans {
  /** `project/stack` */
  name: string;
  /** The account, where the stack has several. */
  account: string | undefined;
  /** Created by this stack, and in no state of the backend. */
  own: Orphan[];
  /** In the state of another stack of the backend, whoever created it. */
  held: HeldOrphan[];
  /** Created by another stack: its own `gpufleet orphans` tells whether it is an orphan. */
  otherStacks: Orphan[];
  /** Created by hand or by another program; and marketplace instances, which have no label to tell by. */
  others: Orphan[];
  /** Names of what this stack has a create of whose outcome nobody knows: it may have made what is in no state. */
  unsettled: string[];
  notListed: string[];
  gaps: Gap[];
  /** Stacks of the backend that could not be read: they may hold what is called an orphan here. */
  unread: OtherStacks["unread"];
}

export interface Orphan extends Holding {
  /** Whether it may be what a create of this stack has made whose outcome is not known, or that is still going on: `gpufleet recover` settles that. */
  interrupted: boolean;
  /** Whether a resource of this stack, or of one that has taken it over since, has replaced it: it was kept, as with `retainOnDelete`. */
  replaced: boolean;
  /** The id of the one in the state that the same request has created. */
  twinOf: string | undefined;
  /** Volumes that are attached to it and in no state: they stay, and bill on, when it is deleted. */
  volumes: readonly Orphan[];
}

export interface HeldOrphan extends Orphan {
  /** `project/stack` */
  stack: string;
}

export async function groupOrphans(situation: Situation): Promise<Orphans> {
  const { name, account, marks: own, others, notListed, gaps, state } = situation;
  const backend = others.length > 0 ? await situation.otherStacks() : { stacks: [], unread: [] };
  const { service } = situation.runtime;
  const states = [state, ...backend.stacks.map((other) => other.state)];
  const isReplaced = (holding: Holding) => states.some((one) => hasReplaced(one, holding, service));
  const orphans = others.map((holding) => judge(holding, state, isReplaced)).sort(byAge);
  const held = orphans.flatMap((orphan) => {
    const holder = backend.stacks.find((other) => isHeldIn(other.state, orphan, service));
    return holder ? [{ ...orphan, stack: holder.name }] : [];
  });
  const free = orphans.filter((orphan) => !held.some(({ id, type }) => id === orphan.id && type === orphan.type));
  // A twin of what the state has is this stack's, also where the stack had another name when it was created.
  const isOwn = ({ marks, twinOf }: Orphan) =>
    twinOf !== undefined || (marks !== undefined && own.includes(marks.stack));
  return {
    name,
    account,
    own: free.filter(isOwn).map((orphan) => ({ ...orphan, volumes: volumesAt(orphan, free) })),
    held,
    otherStacks: free.filter((orphan) => orphan.marks !== undefined && !isOwn(orphan)),
    others: free.filter(({ marks }) => marks === undefined),
    unsettled: [...new Set(unsettledIn(situation))],
    notListed,
    gaps,
    unread: backend.unread,
  };
}

/** Creates of a state that a list does not settle: of a run that was interrupted, or with a reply that was lost. */
function unsettledIn({ state, unseen }: Situation): string[] {
  const begun = interruptedCreatesIn(state).filter(({ resource }) => gpufleetType(resource));
  return [
    ...begun.map(({ resource }) => nameOf(resource.urn)),
    ...unseen.filter(({ id }) => unresolvedFingerprint(id) !== undefined).map(({ name }) => name),
  ];
}

function judge(holding: Holding, state: State, isReplaced: (holding: Holding) => boolean): Orphan {
  const twinOf = twinIn(state, holding)?.id;
  return {
    ...holding,
    interrupted: openCreatesIn(state).some((one) => mayBeMadeBy(one, holding)),
    // What was there when its twin was recorded is noted there, too.
    replaced: twinOf === undefined && isReplaced(holding),
    twinOf,
    volumes: [],
  };
}

function hasReplaced(state: State, { type, id, account }: Holding, service: Service): boolean {
  return resourcesOf(state).some((resource) => {
    const { outputs = {} } = resource;
    const isPredecessor = gpufleetType(resource) === type && includes(outputs[predecessorsKey], id);
    return isPredecessor && mayBe(outputs, { account }, service);
  });
}

function volumesAt({ type, id }: Orphan, orphans: readonly Orphan[]): Orphan[] {
  if (type !== bareMetalRentalType) return [];
  return orphans.filter((one) => one.type === storageVolumeType && one.attachedTo.includes(id));
}

function includes(list: unknown, id: string): boolean {
  return Array.isArray(list) && list.includes(id);
}

/** Whether a state has it: under its id, as a volume that was created with a rental, or perhaps as a create that is not settled. */
function isHeldIn(state: State, holding: Holding, service: Service): boolean {
  const { type, id, label, account } = holding;
  const isHeld = resourcesOf(state).some((resource) => {
    const { urn, id: held = "", inputs, outputs = {} } = resource;
    const heldType = gpufleetType(resource);
    if (heldType === undefined) return false;
    // The entry is that of the rental, and has the rental's label.
    const isInline = type === storageVolumeType && inlineVolumeId({ ...inputs, ...outputs }) === id;
    if (isInline && mayBe(outputs, { account }, service)) return true;
    // A service may have several addresses, and one create has one label.
    const isItsLabel = isAutomaticLabel(label) && outputs["label"] === label;
    if (heldType === type && held === id && isItsLabel) return true;
    return holds({ urn, type: heldType, id: held, outputs }, type, holding, service);
  });
  return isHeld || openCreatesIn(state).some((one) => mayBeMadeBy(one, holding));
}

function byAge(one: Holding, other: Holding): number {
  return compare(one.createdAt ?? "", other.createdAt ?? "") || compare(one.id, other.id);
}
