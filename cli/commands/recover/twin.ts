import { isLive, type Snapshot, type View } from "../../../provider/lifecycle";
import { twinIn } from "../../account";
import { isVolume } from "../../money";
import type { State, StateResource } from "../../stack";

interface Listed {
  state: State;
  snapshot: Snapshot<unknown>;
  view: View;
}

/** The entry that the same request has created. Once that one has ended, the other may take its place like any that was lost. */
export function twinOf(type: string, { state, snapshot, view }: Listed): StateResource | undefined {
  const twin = twinIn(state, { ...view, type });
  const id = twin?.id ?? "";
  const other = snapshot.isUnreadable(id) ? undefined : snapshot.find(id);
  return other && !isLive(other) ? undefined : twin;
}

/** The two, for people. That one is not listed at the moment does not prove that it has ended: a refresh does. */
export function aboutTwins(snapshot: Snapshot<unknown>, { id: held = "" }: StateResource, id: string): string {
  const both = "`pulumi destroy` terminates both.";
  const same = `was created by the same request as ${held}, which is in the state`;
  if (snapshot.isUnreadable(held)) return `${same} and may bill, too: its record cannot be read. ${both}`;
  if (snapshot.find(held)) return `${same}, and bills, too. ${both}`;
  return `${same} but not listed now. If ${held} has ended, \`pulumi refresh\` puts ${id} in its place. ${both}`;
}

/** How to end one alone. */
export function endAlone(type: string, id: string, place: string): string {
  return endWhatIsLost(type, id, place, `${id} alone`);
}

/** How to end what no state has. No command that deletes a volume is ever written out. */
export function endWhatIsLost(type: string, id: string, place: string, what = id): string {
  if (isVolume({ type })) return `To delete ${what}, with its contents, see \`gpufleet orphans${place}\`.`;
  return `To terminate ${what}: \`gpufleet orphans${place} --delete ${id} --yes\`.`;
}
