import { isLive, type ResourceDefinition } from "../../../provider/lifecycle";
import { readUrn } from "../../../provider/shared/urn";
import { definitionOf, gpufleetType, resourcesOf, type State, type StateResource, titleOf } from "../../stack";
import { statusLine } from "../../terminal";
import { refusal } from "./adopt";
import type { ManagedResource } from "./managedResource";
import { currentOf, newResource, referenceTo } from "./newResource";
import type { OpenAccount } from "./openAccounts";
import type { Pending } from "./plan";
import type { Program } from "./program";
import { isUnresolved } from "./unresolvedCreate";

export type Settlement =
  /** This machine is what it has created. */
  { kind: "adopt"; id: string; urn: string } | { kind: "nothingMade"; urn: string };

/** What a person speaks of, in one account. A resource may have something in several: the program has given it another provider. */
export interface Subject {
  open: OpenAccount;
  /** The interrupted creates that are meant. */
  creates: readonly ManagedResource[];
  /** URN of the provider that the program gives the resource, where no record of a create names one. */
  provider?: string | undefined;
}

interface Known {
  state: State;
  opened: readonly OpenAccount[];
  /** Why other accounts cannot be asked. */
  notes: readonly string[];
  pending: Pending;
  program: Pick<Program, "provider">;
}

/** What a person's word is about. Refuses where that is in an account that cannot be asked. */
export async function subjectsOf(known: Known, settle: Settlement): Promise<Subject[]> {
  return settle.kind === "adopt" ? [await adoptedIn(known, settle)] : emptyIn(known, settle.urn);
}

/** That nothing was created is said of every create of the resource, in whichever account. */
function emptyIn({ state, opened, notes, pending }: Known, urn: string): Subject[] {
  const creates = interruptedOf(pending, urn);
  const unresolved = unresolvedOf(state, urn);
  const all = [...creates.map(({ resource }) => resource), ...unresolved];
  if (all.length === 0) throw refusal(`the state has no unresolved or interrupted create of ${urn}`);
  const unasked = all.find((one) => !opened.some(({ account }) => account.has(one)));
  if (unasked) throw notAsked(unasked, notes);
  return opened
    .filter(({ account }) => all.some(account.has))
    .map((open) => ({ open, creates: creates.filter(({ resource }) => open.account.has(resource)) }));
}

/** One thing that the machine may be taken over for. */
interface Candidate {
  resource: StateResource;
  create?: ManagedResource;
  provider?: string | undefined;
}

/**
 * The account of a machine that is taken over. Ids are those of a service and an account, so it is the first that lists it: that of
 * an interrupted create, of an unresolved one, of the provider that the program gives the resource, or of what the state has.
 */
async function adoptedIn(known: Known, { id, urn }: { id: string; urn: string }): Promise<Subject> {
  const { state, pending, opened, notes } = known;
  const recorded: Candidate[] = [
    ...interruptedOf(pending, urn).map((create) => ({ resource: create.resource, create })),
    ...unresolvedOf(state, urn).map((resource) => ({ resource })),
  ];
  const subjectOf = ({ resource, create, provider }: Candidate): Subject[] => {
    const open = opened.find(({ account }) => account.has(resource));
    return open ? [{ open, creates: create ? [create] : [], provider }] : [];
  };
  const definition = definitionOf(gpufleetType({ type: readUrn(urn).type }));
  const asRecorded = await firstWith(recorded.flatMap(subjectOf), definition, id);
  if (asRecorded) return asRecorded;
  const current = currentOf(state, urn);
  const candidates = [...recorded, ...(await programmed(known, urn)), ...(current ? [{ resource: current }] : [])];
  const subjects = candidates.flatMap(subjectOf);
  const found = (await firstWith(subjects, definition, id)) ?? subjects[0];
  if (!found) throw notAsked(candidates[0]?.resource, notes);
  return found;
}

/** As the program gives it. Where the state has nothing of it, there must be something to go by. */
async function programmed({ state, program }: Known, urn: string): Promise<Candidate[]> {
  const provider = await program.provider(urn);
  const current = currentOf(state, urn);
  if (!current) return [{ resource: newResource(state, urn, provider), provider }];
  const reference = provider && referenceTo(state, current.type, provider);
  return reference ? [{ resource: { ...current, provider: reference }, provider }] : [];
}

async function firstWith(
  subjects: readonly Subject[],
  definition: ResourceDefinition | undefined,
  id: string,
): Promise<Subject | undefined> {
  if (!definition) return undefined;
  for (const subject of subjects) {
    const { runtime } = subject.open;
    if (!runtime.isConfigured) continue;
    const { kind } = definition;
    const list = await statusLine.during(`Listing ${kind.plural}…`, () => runtime.lists.of(kind).latest());
    const view = list.find(id);
    if (view && isLive(view)) return subject;
  }
  return undefined;
}

function interruptedOf({ ours }: Pending, urn: string): ManagedResource[] {
  return ours
    .filter(({ operation, managed }) => operation.type === "creating" && managed.resource.urn === urn)
    .map(({ managed }) => managed);
}

function unresolvedOf(state: State, urn: string): StateResource[] {
  return resourcesOf(state).filter((one) => one.urn === urn && isUnresolved(one));
}

function notAsked(resource: StateResource | undefined, notes: readonly string[]): Error {
  const which = resource ? `the account of ${titleOf(resource)}` : "its account";
  const missing = "GPUFLEET_BASE_URL or gpufleet:baseUrl, and GPUFLEET_API_KEY or gpufleet:apiKey";
  const why = notes.length > 0 ? notes.join(" ") : `Set ${missing}.`;
  return refusal(`${which} cannot be asked. ${why}`);
}
