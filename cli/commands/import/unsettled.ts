import { unresolvedFingerprint } from "../../../provider/lifecycle";
import { nameOf } from "../../../provider/shared/urn";
import type { Orphan, Situation } from "../../account";
import { gpufleetType, pendingOf, resourcesOf, type State } from "../../stack";

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
  const all = [{ name: situation.name, state: situation.state }, ...stacks].flatMap(({ name, state }) =>
    unsettledIn(state, name),
  );
  return ({ type, label }) => {
    const mayBe = all.find(
      (one) => one.type === type && (label === undefined || typeof one.label !== "string" || one.label === label),
    );
    return (
      mayBe &&
      `it may be what the create of ${mayBe.name} in stack ${mayBe.stack} has made, whose result is not known yet: \`recover\` there settles that`
    );
  };
}

function unsettledIn(state: State, stack: string): Unsettled[] {
  const lost = resourcesOf(state).filter(({ id = "" }) => unresolvedFingerprint(id) !== undefined);
  const begun = pendingOf(state).filter(({ type }) => type === "creating");
  return [...lost, ...begun.map(({ resource }) => resource)].map(({ urn, inputs, outputs, ...resource }) => ({
    stack,
    name: nameOf(urn),
    type: gpufleetType(resource),
    label: outputs?.["label"] ?? inputs?.["label"],
  }));
}
