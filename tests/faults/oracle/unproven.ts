import type { ObjectState } from "../../../emulator";
import { endInConsole } from "../simulation/console";
import { resourceName } from "../simulation/program";
import { chosenLabelOf, getResourceKind } from "../simulation/resourceKinds";
import type { CommandResult, Session } from "../simulation/session";

/** Without a label of its own, of two that were lost at once nobody can tell which is which: both are named. */
export function noteAmbiguous({ unproven, plan }: Session, { outcome }: CommandResult): void {
  for (const [index, { kind }] of plan.entries()) {
    const name = resourceName(index);
    const isAmbiguous = /could each be the lost one/.test(outcome?.errors[name] ?? "");
    if (isAmbiguous && !getResourceKind(kind).provable) unproven.add(name);
  }
}

/** Whether a machine may belong to a resource whose create was killed and whose label proves nothing. */
export function mayBeUnproven({ unproven }: Session, { kind, label }: ObjectState): boolean {
  if (unproven.size === 0) return false;
  return kind === "marketplace-instance" || [...unproven].some((name) => label === chosenLabelOf(name));
}

/** Where the promise is weaker after a kill, a person looks for what is left; here it is simply ended. */
export async function endUnproven(session: Session): Promise<void> {
  const { unproven, rig, stack, foreign, neighbours } = session;
  if (unproven.size === 0) return;
  for (const name of unproven) {
    stack.state.delete(name);
    for (const kept of stack.condemned.filter((one) => one.name === name)) {
      stack.condemned.splice(stack.condemned.indexOf(kept), 1);
    }
  }
  const held = new Set([stack, ...neighbours].flatMap((one) => idsIn(one)));
  for (const object of rig.emulator.state()) {
    if (!object.billing || foreign.has(object.id) || held.has(String(object.id))) continue;
    if (!mayBeUnproven(session, object)) continue;
    const type = object.kind === "marketplace-instance" ? "MarketplaceInstance" : "BareMetalRental";
    await rig.run(endInConsole(rig.client, type, String(object.id)));
  }
  await session.wait(60);
}

/** Ids that the state of a stack holds, also of what is only there to be deleted. */
export function idsIn({ state, condemned }: Session["stack"]): string[] {
  return [...state.values(), ...condemned].map(({ id }) => id);
}
