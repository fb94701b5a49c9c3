import { OperationUnavailableError } from "../../provider/client";
import {
  isLive,
  type ResourceDefinition,
  type Runtime,
  rememberOwnId,
  type Snapshot,
  type View,
} from "../../provider/lifecycle";
import { marketplaceInstances, owned } from "../../provider/resources";
import { type Marks, readLabel } from "../../provider/shared/label";
import { messageOf } from "../../provider/shared/messageOf";
import { inUsd } from "../../provider/shared/money";
import { type Billable, billablesOf } from "../money";
import {
  asProperties,
  gpufleetType,
  marketplaceInstanceType,
  type Properties,
  resourcesOf,
  type State,
} from "../stack";
import { statusLine } from "../terminal";
import { type Gap, gapsIn } from "./gaps";

/** Something that the account has, as the service lists it. */
export interface Holding extends Billable {
  id: string;
  /** What else the record calls it: a state may hold it under any of these. */
  names?: View["names"];
  label: string | undefined;
  status: string;
  /** The stack and the resource that created it, where its label tells. */
  marks: Marks | undefined;
  /** Whose it is, as the record says it: compared, never shown. */
  account: View["account"];
  /** Whether nobody is terminating it. */
  isLive: boolean;
  /** Of a volume: the ids of the rentals that it is attached to. */
  attachedTo: readonly string[];
}

export interface Account {
  holdings: Holding[];
  /** "virtual-machine rentals": what the service does not list. There may be more of them. */
  notListed: string[];
  /** What it lists and could not be read. */
  gaps: Gap[];
  /** The lists, by type, as far as they could be read. */
  lists: ReadonlyMap<string, Snapshot<unknown>>;
}

/** Everything of the account that has not ended. A list that cannot be read costs only its own part, unless that is all of them. */
export async function listHoldings(runtime: Runtime, state?: State): Promise<Account> {
  if (state) rememberEntries(runtime, state);
  const answers = await Promise.all(owned.map((definition) => readList(runtime, definition)));
  const failures = answers.flatMap((answer) => (answer.kind === "failed" ? [answer] : []));
  if (failures[0] && !answers.some(({ kind }) => kind === "listed")) throw failures[0].error;
  const listed = answers.flatMap((answer) => (answer.kind === "listed" ? [answer] : []));
  const instances = await instanceProperties(runtime, listed);
  return {
    holdings: listed.flatMap(({ definition: { type }, snapshot }) =>
      snapshot
        .views()
        .flatMap((view) =>
          holdingsOf(type, view, type === marketplaceInstanceType ? instances.get(view.id) : undefined),
        ),
    ),
    notListed: answers.flatMap(({ kind, definition }) => (kind === "notListed" ? [definition.kind.plural] : [])),
    gaps: [
      ...failures.map(({ definition, error }) => ({ what: definition.kind.plural, reason: messageOf(error) })),
      ...listed.flatMap(({ definition, snapshot }) => gapsIn(snapshot, definition.noun)),
    ],
    lists: new Map(listed.map(({ definition, snapshot }) => [definition.type, snapshot])),
  };
}

/** Tells the lists what the state knows by its own id: then nothing goes by another name. And on which terms it was rented. */
function rememberEntries(runtime: Runtime, state: State): void {
  for (const resource of resourcesOf(state)) {
    const { id, inputs, outputs = {} } = resource;
    const definition = owned.find(({ type }) => type === gpufleetType(resource));
    if (!definition || id === undefined) continue;
    rememberOwnId(runtime, definition, id, outputs);
    runtime.lists.of(definition.kind).rememberTerms(id, { ...inputs, ...outputs });
  }
}

/** What several keys of one account show, each thing once. A list that one of them could read is read. */
export function joinHoldings([first, ...others]: readonly [Account, ...Account[]]): Account {
  return others.reduce((one, other) => {
    const known = new Set(one.holdings.map(({ type, id }) => `${type} ${id}`));
    const isInBoth = (what: string) => other.notListed.includes(what) || other.gaps.some((gap) => gap.what === what);
    return {
      holdings: [...one.holdings, ...other.holdings.filter(({ type, id }) => !known.has(`${type} ${id}`))],
      notListed: one.notListed.filter(isInBoth),
      gaps: one.gaps.filter(({ what }) => isInBoth(what)),
      lists: new Map([...other.lists, ...one.lists]),
    };
  }, first);
}

type Answer = { definition: ResourceDefinition } & (
  | { kind: "listed"; snapshot: Snapshot<unknown> }
  | { kind: "notListed" }
  | { kind: "failed"; error: unknown }
);

async function readList(runtime: Runtime, definition: ResourceDefinition): Promise<Answer> {
  const { kind } = definition;
  try {
    const list = runtime.lists.of(kind);
    const snapshot = await statusLine.during(`Listing ${kind.plural}…`, () => list.latest());
    return { definition, kind: "listed", snapshot };
  } catch (error) {
    if (error instanceof OperationUnavailableError) return { definition, kind: "notListed" };
    return { definition, kind: "failed", error };
  }
}

function holdingsOf(type: string, view: View, more: Properties = {}): Holding[] {
  const { id, label, status, region, createdAt, ssh, costPerHour, observedInputs } = view;
  const attachedRentals: unknown = view.outputs?.["attachedRentals"];
  if (view.phase === "ended") return [];
  const marks = readLabel(label);
  const term = view.outputs?.["term"];
  const properties = { ...asProperties(term), ...observedInputs, region, createdAt, ssh, costPerHour, ...more };
  return billablesOf(type, marks?.name || label || id, properties).map((billable) => ({
    ...billable,
    ...(view.isEstimate && { estimated: true }),
    id,
    names: view.names,
    label,
    status,
    marks,
    account: view.account,
    isLive: isLive(view),
    attachedTo: Array.isArray(attachedRentals) ? attachedRentals.map(String) : [],
  }));
}

/** The list of instances is not documented; where it has prices, they are per GPU, like those of the machines. */
async function instanceProperties(
  runtime: Runtime,
  listed: readonly { definition: ResourceDefinition }[],
): Promise<Map<string, Properties>> {
  if (!listed.some(({ definition }) => definition.type === marketplaceInstanceType)) return new Map();
  const { items } = await runtime.lists.of(marketplaceInstances).latest();
  return new Map(
    items.map(({ id, gpuCount, gpuModel, price, createdAt, startedAt }) => {
      const hasPrice = price !== undefined && gpuCount !== undefined;
      const costPerHour = hasPrice ? inUsd(price, runtime.settings.marketplacePriceUnit) * gpuCount : undefined;
      const machine = gpuModel === undefined ? undefined : { gpuModel };
      return [id, { costPerHour, machine, createdAt: createdAt ?? startedAt }];
    }),
  );
}
