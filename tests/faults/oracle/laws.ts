/** What must hold, each law by its letter in docs/internals/faults.md. A further law is a function here and a call in oracle.ts. */
import type { ObjectState } from "../../../emulator";
import { phaseOf } from "../../../provider/lifecycle";
import { marksOf, readLabel } from "../../../provider/shared/label";
import { getHandler } from "../../lifecycle/fakeEngine";
import { key } from "../../lifecycle/rig";
import { resourceName } from "../simulation/program";
import { inlineLabelOf, timeoutSeconds } from "../simulation/resourceKinds";
import type { CommandResult, Session } from "../simulation/session";
import { idsIn, mayBeUnproven } from "./unproven";

export interface Violation {
  law: "O" | "D" | "F" | "K" | "T";
  /** What was seen. */
  what: string;
}

const attached = /still attached to rental/;
/** What depends on an unproven one, or has no room because of one that was left. */
const consequential = /what it depends on is not there|GPUs are not available on node/;

/** O: nothing fails for good. */
export function failures({ unproven, wasKilled }: Session, what: string, { outcome }: CommandResult): Violation[] {
  const isExcused = (name: string, message: string) =>
    unproven.has(name) ||
    // An attachment bills nothing. One that a kill kept out of the state holds its volume until its rental ends.
    (wasKilled && attached.test(message)) ||
    (unproven.size > 0 && consequential.test(message));
  return Object.entries(outcome?.errors ?? {})
    .filter(([name, message]) => !isExcused(name, message))
    .map(([name, message]) => ({ law: "O", what: `${what} still fails on ${name}: ${message}` }));
}

/** O: what bills is in the state. (An error that names it would do as well, but by now there should be none.) */
export function notInState(session: Session): Violation[] {
  const { stack, plan } = session;
  const held = new Set(idsIn(stack));
  const inline = plan.map((_, index) => inlineLabelOf(resourceName(index)));
  return ours(session)
    .filter((object) => {
      if (held.has(String(object.id)) || isEnding(object)) return false;
      if (object.kind === "storage-volume" && inline.includes(object.label ?? "")) return false;
      return !mayBeUnproven(session, object);
    })
    .map(({ kind, id, label }) => ({ law: "O", what: `${kind} ${id} "${label}" bills and is not in the state` }));
}

/** O: what `up` says is done can be used. */
export function notReady({ stack, unproven }: Session, { outcome }: CommandResult): Violation[] {
  return [...stack.state.values()].flatMap(({ name, type, outputs }): Violation[] => {
    const kind = getHandler(type).owned?.kind;
    if (!kind || unproven.has(name) || outcome?.errors[name] !== undefined) return [];
    const status = String(outputs["status"]);
    return phaseOf(status, kind.statuses) === "ready"
      ? []
      : [{ law: "O", what: `${name} is said to be up: ${status}` }];
  });
}

/** O: after destroy nothing of ours bills. */
export function leftAfterDestroy(session: Session): Violation[] {
  const bills = ours(session).map(({ kind, id, label, status }) => `${kind} ${id} "${label}" (${status})`);
  const kept = [...session.stack.state.values(), ...session.stack.condemned].map(({ name, id }) => `${name} ${id}`);
  return [
    ...bills.map((what): Violation => ({ law: "O", what: `${what} still bills after destroy` })),
    ...kept.map((what): Violation => ({ law: "O", what: `${what} is still in the state after destroy` })),
  ];
}

/** D: one live machine per resource, and never two of one label. */
export function duplicates(session: Session): Violation[] {
  const { stack, plan, rig } = session;
  const condemned = new Set(stack.condemned.map(({ id }) => id));
  const live = ours(session).filter((object) => !isEnding(object) && !condemned.has(String(object.id)));
  const twice = plan.flatMap((_, index): Violation[] => {
    const name = resourceName(index);
    const kept = stack.state.get(name);
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

/** F: what others have is as it was. */
export function touchedForeign({ rig, foreign, neighbours }: Session): Violation[] {
  const state = new Map(rig.emulator.state().map((object) => [String(object.id), object]));
  const theirs = [...foreign, ...neighbours.flatMap((stack) => Array.from(stack.state.values(), ({ id }) => id))];
  return theirs
    .map((id) => state.get(String(id)))
    .filter((object) => !object?.billing || isEnding(object))
    .map((object) => ({ law: "F", what: `${object?.kind} ${object?.id} "${object?.label}" of others was ended` }));
}

/** K: the key is nowhere but in the header that it belongs in. */
export function keyLeaks({ commands, output, stack }: Session): Violation[] {
  const written = JSON.stringify([output, [...stack.state], stack.condemned, stack.pending]);
  const shown = written.includes(key) ? ["the key was shown or written down"] : [];
  const odd = output.filter((text) => /[^\n\P{Cc}]/u.test(text)).map((text) => `control characters in ${text}`);
  return [...commands.flatMap(({ leaks }) => leaks), ...shown, ...odd].map((what) => ({ law: "K", what }));
}

/** Beyond its deadline a call may make one last request, which ends by the limits of the client. */
const lastRequestSeconds = 300;

/** T: every call ends. */
export function overdueCalls({ timed }: Session): Violation[] {
  const most = (timeoutSeconds + lastRequestSeconds) * 1000;
  return timed
    .filter(({ milliseconds }) => milliseconds > most)
    .map(({ operation, type, milliseconds }) => ({
      law: "T",
      what: `${operation} of ${type} took ${milliseconds / 1000} s`,
    }));
}

/** Ours by exclusion: whatever bills and belongs neither to the neighbours nor to strangers. */
function ours({ rig, foreign, neighbours }: Session): ObjectState[] {
  const theirs = new Set(neighbours.flatMap(({ state }) => Array.from(state.values(), ({ id }) => id)));
  return rig.emulator.state().filter(({ id, billing }) => billing && !foreign.has(id) && !theirs.has(String(id)));
}

function isEnding({ status }: ObjectState): boolean {
  return status === "Terminating" || status === "stopping";
}
