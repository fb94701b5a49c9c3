import { nameOf } from "../../../provider/shared/urn";
import { interruptedCreatesIn, mayShow, type Orphan, openCreatesIn, type Situation } from "../../account";
import { billablesOf } from "../../money";
import {
  asProperties,
  gpufleetType,
  type Properties,
  resourcesOf,
  type State,
  type StateResource,
  storageVolumeType,
} from "../../stack";

/** A create of some stack whose result nobody knows yet. */
interface Unsettled {
  stack: string;
  name: string;
  type: string | undefined;
  label: unknown;
}

/** Tells why a machine may be what a create has made that is not settled: without a label, any of its type may be. */
export async function unsettledCreates(situation: Situation): Promise<(orphan: Orphan) => string | undefined> {
  const { stacks } = await situation.otherStacks();
  const all = [{ name: situation.name, state: situation.state }, ...stacks].flatMap(({ name, state }) => [
    ...openCreatesIn(state).map(({ resource, values }) => unsettled(name, resource, gpufleetType(resource), values)),
    ...unseenVolumesIn(state, name),
  ]);
  return ({ type, label }) => {
    const mayBe = all.find(
      (one) => one.type === type && (label === undefined || typeof one.label !== "string" || mayShow(one.label, label)),
    );
    return (
      mayBe &&
      `it may be what the create of ${mayBe.name} in stack ${mayBe.stack} has made, whose result is not known yet: \`recover\` there settles that`
    );
  };
}

function unsettled(stack: string, { urn }: StateResource, type: string | undefined, values: Properties): Unsettled {
  return { stack, name: nameOf(urn), type, label: values["label"] };
}

/** Volumes that are made along with a rental, of which no state has the id yet. Where the inputs are secret, so is the label. */
function unseenVolumesIn(state: State, stack: string): Unsettled[] {
  const rentals = [...resourcesOf(state), ...interruptedCreatesIn(state).map(({ resource }) => resource)];
  return rentals.flatMap((resource) => {
    const { urn, inputs, outputs } = resource;
    const values = { ...inputs, ...outputs };
    const unseen = billablesOf(gpufleetType(resource) ?? "", nameOf(urn), values).filter(
      ({ createdWith, id }) => createdWith !== undefined && id === undefined,
    );
    return unseen.map(() => unsettled(stack, resource, storageVolumeType, asProperties(values["storageVolume"])));
  });
}
