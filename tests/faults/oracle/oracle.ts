import type { ObjectState } from "../../../emulator";
import { marksOf, phaseOf, readLabel } from "../../../provider/lifecycle";
import { key } from "../../lifecycle/rig";
import { getHandler, type Kept } from "../../lifecycle/stack";
import { inlineLabelOf, isProvable, labelOf, nameOfPlanned, timeoutSeconds } from "../simulation/resourceKinds";
import type { Ended, Session } from "../simulation/session";

/** What did not hold: the letter of the oracle (faults.md), and what was seen. */
export interface Violation {
  law: "O" | "D" | "F" | "K" | "T";
  what: string;
}

/**
 * Brings a played session to rest the way a person would: `up`; where a run was killed, `gpufleet recover` (and
 * --adopt where it says so); `up`; `destroy`. And looks on the way whether everything holds.
 */
export async function judge(session: Session): Promise<Violation[]> {
  const violations: Violation[] = [];
  const first = await session.up({ faults: [] });
  noteAmbiguous(session, first);
  if (session.wasKilled) await session.recover();
  // What was made a moment ago and is not listed may only be too fresh: a state that is past that is known for certain.
  await session.rig.run(session.rig.clock.sleep(130_000));
  const second = await session.up({ faults: [] }, { refresh: true });
  noteAmbiguous(session, second);
  violations.push(...failures(session, "the second up", second), ...unknown(session), ...duplicates(session));
  violations.push(...notReady(session, second));
  await endWeak(session);
  const destroyed = await session.destroy({ faults: [] });
  violations.push(...failures(session, "destroy", destroyed), ...leftBehind(session));
  return [...violations, ...touched(session), ...leaked(session), ...overdue(session)];
}

/** Without a label of its own, of two that were lost at once nobody can tell which is which: both are named. */
function noteAmbiguous({ weak, plan }: Session, { outcome }: Ended): void {
  for (const [index, { kind }] of plan.entries()) {
    const name = nameOfPlanned(index);
    if (!isProvable(kind) && /could each be it/.test(outcome?.errors[name] ?? "")) weak.add(name);
  }
}

/** Where the promise is weaker after a kill, a person looks for what is left; here it is simply ended. */
async function endWeak({ weak, rig, stack, foreign, neighbours }: Session): Promise<void> {
  if (weak.size === 0) return;
  for (const name of weak) {
    stack.state.delete(name);
    for (const kept of stack.condemned.filter((one) => one.name === name)) {
      stack.condemned.splice(stack.condemned.indexOf(kept), 1);
    }
  }
  const held = new Set(idsIn({ stack, neighbours }));
  const isWeak = ({ kind, label }: ObjectState) =>
    kind === "marketplace-instance" || [...weak].some((name) => label === labelOf(name));
  for (const object of rig.emulator.state()) {
    if (!object.billing || foreign?.ids.has(object.id) || held.has(String(object.id)) || !isWeak(object)) continue;
    const { client } = rig;
    const end: Promise<unknown> =
      object.kind === "marketplace-instance"
        ? client.terminateMarketplaceInstance({ id: String(object.id) })
        : client.terminateRental({ rentalType: "bare-metal", rentalId: Number(object.id) });
    await rig.run(end.catch(() => undefined));
  }
  await rig.run(rig.clock.sleep(60_000));
}

const attached = /still attached to rental/;
/** What depends on a weak one, or has no room because of one that was left. */
const consequential = /what it depends on is not there|GPUs are not available on node/;

function failures({ weak, wasKilled }: Session, what: string, { outcome }: Ended): Violation[] {
  const errors = Object.entries(outcome?.errors ?? {}).filter(
    // An attachment bills nothing. One that a kill kept out of the state holds its volume until its rental ends.
    ([name, message]) =>
      !weak.has(name) && !(wasKilled && attached.test(message)) && !(weak.size > 0 && consequential.test(message)),
  );
  return errors.map(([name, message]) => ({ law: "O", what: `${what} still fails on ${name}: ${message}` }));
}

function idsIn({ stack, neighbours }: Pick<Session, "stack" | "neighbours">): string[] {
  const stacks = [stack, ...neighbours];
  return stacks.flatMap((one) => [...one.state.values(), ...one.condemned]).map(({ id }) => id);
}

/** Ours by exclusion: whatever neither the neighbours nor strangers have. */
function ours({ rig, foreign, neighbours }: Session): ObjectState[] {
  const theirs = new Set(neighbours.flatMap(({ state }) => Array.from(state.values(), ({ id }) => id)));
  return rig.emulator.state().filter(({ id, billing }) => billing && !foreign?.ids.has(id) && !theirs.has(String(id)));
}

/** O: what bills is in the state. (An error that names it would do as well, but by now there should be none.) */
function unknown(session: Session): Violation[] {
  const { stack, weak, plan } = session;
  const held = new Set(idsIn({ stack, neighbours: [] }));
  const inline = plan.map((_, index) => inlineLabelOf(nameOfPlanned(index)));
  return ours(session)
    .filter(({ id, label, kind, status }) => {
      if (held.has(String(id)) || isEnding(status)) return false;
      if (kind === "storage-volume" && inline.includes(label ?? "")) return false;
      return !(weak.size > 0 && (kind === "marketplace-instance" || [...weak].some((name) => label === labelOf(name))));
    })
    .map(({ kind, id, label }) => ({ law: "O", what: `${kind} ${id} "${label}" bills and is not in the state` }));
}

function isEnding(status: string): boolean {
  return status === "Terminating" || status === "stopping";
}

/** D: one live thing per resource, and never two of one label. */
function duplicates(session: Session): Violation[] {
  const { stack, plan, rig } = session;
  const condemned = new Set(stack.condemned.map(({ id }) => id));
  const live = ours(session).filter(({ id, status }) => !isEnding(status) && !condemned.has(String(id)));
  const twice = plan.flatMap((_, index): Violation[] => {
    const name = nameOfPlanned(index);
    const kept: Kept | undefined = stack.state.get(name);
    if (!kept) return [];
    const marks = marksOf({ organization: "organization", urn: stack.urn(kept.type, name), namespace: "" });
    const same = live.filter(({ label }) => {
      const read = readLabel(label);
      return read?.stack === marks.stack && read.resource === marks.resource;
    });
    const ids = same.map(({ id }) => id).join(", ");
    return same.length > 1 ? [{ law: "D", what: `${name} has ${same.length} live machines: ${ids}` }] : [];
  });
  const labels = rig.emulator.state().map(({ label }) => label);
  const repeated = labels.filter((label, index) => readLabel(label) && labels.indexOf(label) !== index);
  return [...twice, ...repeated.map((label): Violation => ({ law: "D", what: `two were made with label "${label}"` }))];
}

/** What `up` says is done can be used. */
function notReady({ stack, weak }: Session, { outcome }: Ended): Violation[] {
  return [...stack.state.values()].flatMap(({ name, type, outputs }): Violation[] => {
    const kind = getHandler(type).rented?.kind;
    if (!kind || weak.has(name) || outcome?.errors[name] !== undefined) return [];
    const status = String(outputs["status"]);
    return phaseOf(status, kind.statuses) === "ready"
      ? []
      : [{ law: "O", what: `${name} is said to be up: ${status}` }];
  });
}

/** O: after destroy nothing of ours bills. */
function leftBehind(session: Session): Violation[] {
  const bills = ours(session).map(({ kind, id, label, status }) => `${kind} ${id} "${label}" (${status})`);
  const kept = [...session.stack.state.values(), ...session.stack.condemned].map(({ name, id }) => `${name} ${id}`);
  return [
    ...bills.map((what): Violation => ({ law: "O", what: `${what} still bills after destroy` })),
    ...kept.map((what): Violation => ({ law: "O", what: `${what} is still in the state after destroy` })),
  ];
}

/** F: what others have is as it was. */
function touched({ rig, foreign, neighbours }: Session): Violation[] {
  const state = new Map(rig.emulator.state().map((object) => [String(object.id), object]));
  const theirs = [
    ...(foreign?.ids ?? []),
    ...neighbours.flatMap((stack) => Array.from(stack.state.values(), ({ id }) => id)),
  ];
  return theirs
    .map((id) => state.get(String(id)))
    .filter((object) => !object?.billing || isEnding(object.status))
    .map((object) => ({ law: "F", what: `${object?.kind} ${object?.id} "${object?.label}" of others was ended` }));
}

/** K: the key is nowhere but in the header that it belongs in. */
function leaked({ commands, said, stack }: Session): Violation[] {
  const written = JSON.stringify([said, [...stack.state], stack.condemned, stack.pending]);
  const shown = written.includes(key) ? ["the key was shown or written down"] : [];
  const odd = said.filter((text) => /[^\n\P{Cc}]/u.test(text)).map((text) => `control characters in ${text}`);
  return [...commands.flatMap(({ leaks }) => leaks), ...shown, ...odd].map((what) => ({ law: "K", what }));
}

/** Beyond its deadline a call may make one last look, which ends by the limits of the client. */
const lastLookSeconds = 300;

/** T: every call ends. */
function overdue({ timed }: Session): Violation[] {
  const most = (timeoutSeconds + lastLookSeconds) * 1000;
  return timed
    .filter(({ milliseconds }) => milliseconds > most)
    .map(({ operation, type, milliseconds }) => ({
      law: "T",
      what: `${operation} of ${type} took ${milliseconds / 1000} s`,
    }));
}
