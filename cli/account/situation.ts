import type { Runtime } from "../../provider/lifecycle";
import { stackMark } from "../../provider/shared/label";
import { nameOf } from "../../provider/shared/urn";
import { type Billable, billablesOf, isVolume } from "../money";
import {
  createRuntime,
  findProject,
  gpufleetType,
  organizationOf,
  type Place,
  readUrn,
  resourcesOf,
  Stack,
  type State,
  type StateResource,
} from "../stack";
import { type Holding, listHoldings } from "./holdings";

/** A stack and the account that it rents from. */
export interface Situation {
  /** `project/stack` */
  name: string;
  /** What the labels of this stack contain. */
  mark: string;
  /** What the account has and the state, too, by the names in the program. */
  own: StackHolding[];
  /** What the state has and the service does not list: gone, or of a kind that it does not list at all. */
  unseen: InState[];
  /** What the account has and the state has not. */
  others: Holding[];
  /** Plurals of what the service does not list. */
  notListed: string[];
  stack: Stack;
  state: State;
  runtime: Runtime;
}

export interface InState extends Billable {
  id: string;
  urn: string;
}

export interface StackHolding extends Holding {
  urn: string;
}

export async function readSituation(place: Place): Promise<Situation> {
  const stack = new Stack(place);
  const [stackName, state, config] = await Promise.all([stack.name(), stack.exportState(), stack.readConfig()]);
  const runtime = createRuntime(config);
  const { holdings, notListed } = await listHoldings(runtime);
  const known = inStateOf(state, holdings);
  const listed = new Map(holdings.map((holding) => [keyOf(holding), holding]));
  const own = known.flatMap((one) => {
    const holding = listed.get(keyOf(one));
    return holding ? [merge(holding, one)] : [];
  });
  const inState = new Set(known.map(keyOf));
  const identity = await identityOf(state, stackName, place);
  return {
    name: `${identity.project}/${identity.stack}`,
    mark: stackMark({
      ...identity,
      organization: organizationOf(state, stackName),
      namespace: runtime.settings.namespace,
    }),
    own,
    unseen: known.filter((one) => !listed.has(keyOf(one))),
    others: holdings.filter((one) => !inState.has(keyOf(one))),
    notListed,
    stack,
    state,
    runtime,
  };
}

/** Everything in the state that bills, what is still to be deleted included. */
function inStateOf(state: State, holdings: readonly Holding[]): InState[] {
  return resourcesOf(state).flatMap((resource) => {
    const type = gpufleetType(resource);
    if (type === undefined || resource.id === undefined) return [];
    const { id, urn, inputs, outputs } = resource;
    return billablesOf(type, nameOf(urn), { ...inputs, ...outputs }).flatMap((billable) => {
      if (billable.createdWith === undefined) return [{ ...billable, id, urn }];
      const volume = inlineVolumeId(resource, billable.name, holdings);
      return volume === undefined ? [] : [{ ...billable, id: volume, urn }];
    });
  });
}

/** A volume created with a rental has its id only in the rental's record, or is found by its label. */
function inlineVolumeId({ outputs }: StateResource, label: string, holdings: readonly Holding[]): string | undefined {
  const attached: unknown = outputs?.["attachedStorage"];
  const recorded: unknown = Array.isArray(attached)
    ? attached.find((volume) => volume?.label === label)?.id
    : undefined;
  if (recorded !== undefined) return String(recorded);
  return holdings.find((one) => isVolume(one) && one.label === label)?.id;
}

/** By the name of the program; what the list does not tell is as the state has it. */
function merge(holding: Holding, inState: InState): StackHolding {
  const { name, urn, gpus, expiresAtTime, createdWith } = inState;
  return {
    ...holding,
    ...{ name, urn, expiresAtTime, createdWith },
    gpus: gpus ?? holding.gpus,
    region: holding.region ?? inState.region,
    createdAt: holding.createdAt ?? inState.createdAt,
    costPerHour: holding.costPerHour ?? inState.costPerHour,
  };
}

function keyOf({ type, id }: { type: string; id: string }): string {
  return `${type} ${id}`;
}

/** An empty state names neither project nor stack; then they are those of the folder. */
async function identityOf(
  state: State,
  stackName: string,
  { cwd }: Place,
): Promise<{ project: string; stack: string }> {
  const [first] = resourcesOf(state);
  if (first) return readUrn(first.urn);
  const project = (await findProject(cwd))?.name;
  if (project === undefined) throw new Error(`there is no Pulumi project in ${cwd}`);
  return { project, stack: stackName.slice(stackName.lastIndexOf("/") + 1) };
}
