/**
 * What must hold after every command, each law by its letter in docs/internals/faults.md. A further law is an entry in `laws`; those that
 * hold only in the end are in finalLaws.ts.
 */
import type { TransportRequest } from "../../../provider/client";
import { isExpired, isPastExpiry, isSameExpiry, type Values } from "../../../provider/lifecycle";
import { isOver } from "../../../provider/shared/money";
import type { Kept, Program } from "../../lifecycle/fakeEngine";
import { key } from "../../lifecycle/rig";
import type { Command, Hit } from "../simulation/command";
import { hidesMachines, isCertainRefusal, isFault } from "../simulation/faultKinds";
import { isProvable, keyOf, type Made, pairsOf } from "../simulation/ledger";
import { describeRequest, endedBy, purposeOf } from "../simulation/requests";
import { timeoutSeconds } from "../simulation/resourceKinds";
import type { CommandResult, Session } from "../simulation/session";
import type { MadeObject } from "../simulation/truth";

export interface Violation {
  law: (typeof letters)[number];
  /** What was seen. */
  what: string;
}

type Law = (session: Session, result: CommandResult, witness: Witness) => string[];

/** What was seen so far in one session. */
export class Witness {
  /** What was named in an error while the state did not have it. */
  readonly named = new Set<string>();
  readonly violations: Violation[] = [];
  #timed = 0;
  #output = 0;
  #leaks = 0;
  readonly #afterKill = new Set<TransportRequest>();
  #doubles = 0;

  constructor(private readonly session: Session) {}

  /** Judges what a command has left. */
  judge(result: CommandResult): void {
    for (const [law, holds] of Object.entries(laws)) {
      for (const what of holds(this.session, result, this)) this.add(law, `after ${result.command.name}: ${what}`);
    }
  }

  add(law: string, what: string): void {
    const letter = letters.find((one) => law.startsWith(one)) ?? "O";
    if (!this.violations.some((one) => one.what === what)) this.violations.push({ law: letter, what });
  }

  newTimed() {
    const { timed } = this.session;
    const fresh = timed.slice(this.#timed);
    this.#timed = timed.length;
    return fresh;
  }

  newOutput(): string[] {
    const fresh = this.session.output.slice(this.#output);
    this.#output = this.session.output.length;
    return fresh;
  }

  newLeaks(): string[] {
    const leaks = this.session.commands.flatMap((command) => command.leaks);
    const fresh = leaks.slice(this.#leaks);
    this.#leaks = leaks.length;
    return fresh;
  }

  /** What providers have sent whose command was killed long before. */
  newAfterKill(): { command: Command; request: TransportRequest }[] {
    const sent = this.session.commands.flatMap((command) => command.afterKill.map((request) => ({ command, request })));
    const fresh = sent.filter(({ request }) => !this.#afterKill.has(request));
    for (const { request } of fresh) this.#afterKill.add(request);
    return fresh;
  }

  newDoubles() {
    const fresh = this.session.ledger.doubles.slice(this.#doubles);
    this.#doubles = this.session.ledger.doubles.length;
    return fresh;
  }
}

const letters = ["O", "D", "F", "K", "L", "T", "W"] as const;
export type LawLetter = (typeof letters)[number];

/** A text that says that something is gone does not say that it bills. */
const saysGone = /no longer exists|no longer listed/;

const laws: Record<string, Law> = {
  /** Everything that bills is in the state, or was named in an error that was shown. What a killed run made is not known to anybody yet. */
  "O: nothing lost": (session, { shown }, { named }) => {
    const lost = session.ledger.lost();
    for (const one of lost) if (shown.some((text) => !saysGone.test(text) && names(text, one))) named.add(keyOf(one));
    return lost
      .filter((one) => !isNamed(session, named, one) && !(one.command.wasKilled && !one.wasHeld))
      .filter(
        (one) =>
          !isUnseenTwin(session, one) && !session.ledger.isUnseenAfterRefusal(one) && !session.ledger.wasHidden(one),
      )
      .map((one) => `${keyOf(one)} "${one.label}" of ${one.name} bills, and is neither in the state nor named`);
  },

  /** What was refused for certain, and could be looked for, is not left for a person to settle. */
  "O: no doubt without a reason": ({ ledger, stack, hasLookalikes }, { command, before }) => {
    // Somebody who has the same is one.
    if (hasLookalikes) return [];
    const isReason = ({ fault, purpose }: Hit) =>
      purpose === "create" ? !isFault(fault) || !isCertainRefusal(fault) : purpose !== "attach" && purpose !== "end";
    if (command.wasKilled || command.hits.some(isReason)) return [];
    const isOld = ({ id }: Kept) => before.some((one) => one.id === id);
    // Another resource of the program, created side by side, is one as well, until its id is known.
    const hasSibling = ({ type, name }: Kept) =>
      ledger.made.some((one) => one.command === command && one.type === type && one.urn !== stack.urn(type, name));
    return ledger.entries
      .filter((one) => one.id.startsWith("unresolved:") && !isOld(one) && !hasSibling(one))
      .map((one) => `${one.name} is in doubt as ${one.id}, although nothing made it so`);
  },

  /** What an undisturbed destroy says is done has ended, and is not merely about to. What earlier commands let go of only a fleet waits for. */
  "O: destroyed means ended": (session, { program, before, outcome, command }) => {
    const isDone = program === undefined && outcome !== undefined && Object.keys(outcome.errors).length === 0;
    if (!isDone || command.hits.length > 0 || session.ledger.entries.length > 0) return [];
    const billing = new Set(session.ledger.everythingBilling());
    const held = new Set(before.map(keyOf));
    const isFleet = before.some(({ type }) => type === "FleetEnded");
    return session.ledger.made
      .filter((one) => held.has(keyOf(one)) || (isFleet && one.wasHeld && !session.ledger.wasHidden(one)))
      .filter((one) => one.rentalId === undefined && billing.has(keyOf(one)))
      .map((one) => `${keyOf(one)} of ${one.name} is still about to end`);
  },

  /** What an undisturbed command drops from the state has ended, too: only a fleet that goes as a whole is waited for elsewhere. */
  "O: dropped means ended": (session, { before, outcome, command }) => {
    if (!outcome || Object.keys(outcome.errors).length > 0 || command.hits.length > 0) return [];
    const billing = new Set(session.ledger.everythingBilling());
    const held = new Set(session.ledger.entries.map(keyOf));
    return before
      .filter(
        (one) => rentals.has(one.type) && !session.ledger.isUnlisted(one) && !session.outside.givenAway.has(keyOf(one)),
      )
      .filter((one) => !held.has(keyOf(one)) && billing.has(keyOf(one)))
      .map((one) => `${keyOf(one)} of ${one.name} was dropped, and is still about to end`);
  },

  /**
   * What a command lets go of is detached, unless the service does not do that, and the command says so: then the attachment was to end
   * with the rental, of which another law judges. What a list has shown wrongly is another matter.
   */
  "O: detached means detached": (session, { before, outcome, command, shown }) => {
    const isSeenWrongly = command.hits.some(({ purpose }) => purpose === "list" || purpose === "description");
    if (!outcome || session.wasKilled || isSeenWrongly || session.circumstances.dialect === "none") return [];
    const held = new Set(session.ledger.entries.flatMap(pairsOf));
    const attached = session.ledger.attachedPairs;
    const isTied = session.circumstances.dialect === "tied";
    // Only a service that was made to refuse it can have said so.
    const isRefused = command.hits.some(({ purpose }) => purpose === "end");
    const isSaid = (pair: string) => {
      const [volume, rental] = pair.split(":");
      const why = "(has no detach operation|refused to detach it|does not answer a detach)";
      const said = new RegExp(`volume ${volume} stays attached to .*\\b${rental}\\b.* ${why}`);
      return (isRefused || isTied) && shown.some((text) => said.test(text));
    };
    return before
      .flatMap((one) => pairsOf(one).map((pair) => ({ pair, name: one.name })))
      .filter(({ pair }) => !held.has(pair) && attached.has(pair) && !session.outside.attached.has(pair))
      .filter(({ pair }) => !isSaid(pair))
      .map(({ pair, name }) => `${name} no longer has ${pair}, which is still attached`);
  },

  /** Nothing is rented while another of the same resource runs that the state does not have. */
  "D: nothing twice": ({ circumstances }, _result, witness) =>
    witness
      .newDoubles()
      // Where the service ends nothing, a person who was told of it can only go on.
      .filter(({ other }) => circumstances.dialect !== "none" || !witness.named.has(keyOf(other)))
      .map(({ made, other }) => `${keyOf(made)} was rented for ${made.name} while ${other.id} ran, which no state has`),

  /**
   * A provider whose engine is gone begins nothing that nobody would hear of, and deletes no data. It goes on to end what it was told to
   * end, and what it has made itself.
   */
  "D: nothing for a command that is gone": ({ ledger: { made } }, _result, witness) => {
    const isData = (command: Command, ended: { type: string; id: string } | undefined) =>
      ended?.type === "StorageVolume" && !made.some((one) => keyOf(one) === keyOf(ended) && one.command === command);
    return witness
      .newAfterKill()
      .filter(({ command, request }) => purposeOf(request) === "create" || isData(command, endedBy(request)))
      .map(({ command, request }) => `${describeRequest(request)} was sent long after ${command.name} was killed`);
  },

  /** No two resources of the program have one machine. */
  "D: no id held twice": ({ stack, program }) => {
    // Two creates in doubt may look for the same: neither has a machine yet.
    const hasMachine = ({ type, id }: Kept) => type !== "VolumeAttachment" && !id.startsWith("unresolved:");
    const wanted = [...stack.state.values()].filter((one) => one.name in program && hasMachine(one));
    const keys = wanted.map(keyOf);
    return wanted
      .filter((one, index) => keys.indexOf(keyOf(one)) !== index)
      .map((one) => `${keyOf(one)} is held twice`);
  },

  /** What others have is as it was. */
  "F: nothing of others is ended": (session) => {
    const ours = new Set(session.ledger.made.map(keyOf));
    const billing = session.ledger.billing();
    return session.ledger.foreign
      .filter((one) => !ours.has(one) && !billing.has(one) && !session.outside.endedUnseen.has(one))
      .map((one) => `${one} of others was ended`);
  },

  /** Others may attach what is theirs to what is ours: that ends with the rental, and not before. */
  "F: nothing of others is attached or detached": (session) => {
    const attached = session.ledger.attachedPairs;
    const billing = new Set(session.ledger.everythingBilling());
    const isTheirs = (pair: string) => session.outside.givenAway.has(`StorageVolume ${pair.split(":")[0]}`);
    const lost = [...session.outside.attached].filter(
      (pair) => !attached.has(pair) && billing.has(`BareMetalRental ${pair.split(":")[1]}`),
    );
    const added = [...attached].filter((pair) => isTheirs(pair) && !session.outside.attached.has(pair));
    return [
      ...lost.map((pair) => `${pair} of others was detached`),
      ...added.map((pair) => `${pair} was attached, whose volume belongs to others`),
    ];
  },

  "F: nothing of others is taken": (session) => {
    const ours = new Set([
      // Held since before the service gave it away.
      ...session.outside.givenAway,
      ...session.ledger.made.map(keyOf),
      ...[...session.handmade].map((id) => `BareMetalRental ${id}`),
    ]);
    return session.ledger.entries
      .filter((one) => !one.id.startsWith("unresolved:") && owned.has(one.type) && !ours.has(keyOf(one)))
      .map((one) => `the state holds ${keyOf(one)}, which belongs to others`);
  },

  "F: nothing happens in another account": ({ elsewhere }) => elsewhere.flatMap((one) => one.damage()),

  /** The key is nowhere but in the header that it belongs in. */
  "K: no key": ({ stack }, _result, witness) => {
    const output = witness.newOutput();
    const written = JSON.stringify([output, [...stack.state], stack.condemned, stack.pending]);
    const shown = written.includes(key) ? ["the key was shown or written down"] : [];
    const odd = output.filter((text) => /[^\n\P{Cc}]/u.test(text)).map((text) => `control characters in ${text}`);
    return [...witness.newLeaks(), ...shown, ...odd];
  },

  /** What a command rents does not take the stack past its limit, as far as the service shows prices. */
  "L: within the limit": (session, { before, command, outcome, program }) => {
    const { budget, dialect, latePrices, sparse } = session.circumstances;
    // Where the service ends nothing, what turns out too expensive stays. A price that a spoiled list does not show counts as none; what
    // a list does not show at all counts as the state has it.
    const isSpoiled = ({ fault, purpose }: Hit) =>
      (purpose === "list" || purpose === "description") && !(isFault(fault) && hidesMachines(fault));
    const isSeenWrongly = command.hits.some(isSpoiled);
    if (budget === undefined || dialect === "none" || sparse || isSeenWrongly || !program || !outcome) return [];
    // What is not waited for, or whose gate was not reached, may have no price yet.
    if (latePrices && (Object.keys(outcome.errors).length > 0 || Object.values(program).some(isNotAwaited))) return [];
    const { ledger } = session;
    const held = new Set(ledger.entries.map(keyOf));
    const isMade = (one: Made) => one.command === command && !session.handmade.has(one.id);
    // What was to be ended at once for its price runs on where the service refused that, and its error says so.
    const isStuck = ({ name }: Made) =>
      command.hits.some(({ purpose }) => purpose === "end") &&
      /could not be terminated/.test(outcome.errors[name] ?? "");
    const rented = ledger.live().filter((one) => isMade(one) && ledger.holds(one) && !isStuck(one));
    const earlier = before.filter((one) => held.has(keyOf(one)) && !session.outside.givenAway.has(keyOf(one)));
    const along = ledger
      .live()
      .filter(({ rentalId }) => earlier.some(({ type, id }) => type === "BareMetalRental" && id === rentalId));
    const counted = new Set([...rented, ...earlier, ...along].map(keyOf));
    // What is adopted, or taken over, is not ended for its price.
    const isTaken = [...held].some((one) => owned.has(one.split(" ")[0] ?? "") && !counted.has(one));
    if (rented.length === 0 || isTaken) return [];
    // What lists leave out, and had not shown before, has no price at all.
    const isLeftOut = command.hits.some(({ fault, purpose }) => purpose === "list" && isFault(fault));
    const isUnpriced = (one: Kept) => counted.has(keyOf(one)) && one.outputs["costPerHour"] === undefined;
    if (isLeftOut && [...before, ...ledger.entries].some(isUnpriced)) return [];
    const billing = ledger.billing();
    const cost = [...counted].reduce((sum, one) => sum + (billing.get(one)?.costPerHour ?? 0), 0);
    return isOver(cost, budget)
      ? [`the stack costs ${cost}, more than its limit of ${budget}, and something new was rented`]
      : [];
  },

  /** Every call ends. */
  "T: no hang": ({ circumstances }, _result, witness) => {
    // A volume that cannot be detached first ends its rentals, which have their own time.
    const limits = circumstances.dialect === "tied" ? 2 : 1;
    return witness
      .newTimed()
      .filter(({ milliseconds }) => milliseconds > (limits * timeoutSeconds + lastRequestSeconds) * 1000)
      .map(({ operation, type, milliseconds }) => `${operation} of ${type} took ${milliseconds / 1000} s`);
  },

  /** What ran and is still wanted runs on: nothing that the state holds for the program is ended by a command. */
  "W: what is wanted runs on": (session, { command, program, ranBefore, outcome }) => {
    // What a killed command has begun to end ends later.
    if (!program || !outcome || session.wasKilled) return [];
    // Its end may have been sent before the command failed.
    const mayBeEnded = (one: Kept) =>
      isRightlyExpired(session, one) || (command.name === "expire" && isPastExpiry(one.outputs, session.serviceNow()));
    // What the service itself or somebody in its console has ended is another matter.
    const isEnded = (one: string) => ranBefore.has(one) && session.ledger.wasToldToEnd(one);
    return [...session.stack.state.values()]
      .filter((one) => one.name in program && isEnded(keyOf(one)) && !mayBeEnded(one))
      .map((one) => `${keyOf(one)} of ${one.name} ran and is wanted, and was ended`);
  },

  /** What counts as expired has had its time, and what an undisturbed command calls so has ended or is on its way out. */
  "O: expired means ended": (session, { command, outcome }) => {
    const billing = session.ledger.billing();
    const hidden = new Set(session.ledger.made.filter((one) => session.ledger.wasHidden(one)).map(keyOf));
    const expired = session.ledger.entries.filter(({ outputs }) => isExpired(outputs));
    const early = expired.filter((one) => !isRightlyExpired(session, one));
    const running =
      outcome && command.hits.length === 0
        ? expired.filter((one) => billing.has(keyOf(one)) && !hidden.has(keyOf(one)))
        : [];
    return [
      ...early.map((one) => `${keyOf(one)} of ${one.name} counts as expired before its time`),
      ...running.map((one) => `${keyOf(one)} of ${one.name} counts as expired and ended, and bills`),
    ];
  },

  /** What has expired is not rented again as long as the program says the same of its time, unless it is replaced by force. */
  "W: what has expired stays ended": ({ stack, ledger: { made } }, { command, program, before, condemned }) => {
    if (!program || command.name === "replace") return [];
    return (
      before
        .filter(({ name, outputs, inputs }) => isExpired(outputs) && isSameExpiry(inputs, inputsOf(program, name)))
        // What is only there to be deleted was replaced by force.
        .filter(({ id }) => !condemned.has(id))
        .filter(({ name, type }) => made.some((one) => one.command === command && one.urn === stack.urn(type, name)))
        .map((one) => `${one.name} has expired, and was rented again`)
    );
  },

  /** A volume that is to be kept is kept, and with it the data. */
  "W: what is to be kept is kept": (session, { program, ranBefore, before, condemned, outcome }) => {
    if (!outcome) return [];
    const billing = session.ledger.billing();
    const keeps = ({ outputs }: Kept) => outputs["keepVolume"] === true;
    return before.flatMap((entry) => {
      const said = program?.[entry.name]?.inputs;
      // What was replaced has what the program said before; what replaced it has what it said last.
      const last = before.filter(
        ({ name, id }) => condemned.has(entry.id) && name === entry.name && !condemned.has(id),
      );
      const isToStay = typeof said === "object" ? said["keepVolume"] === true : !said && [entry, ...last].some(keeps);
      if (!isToStay) return [];
      return session.ledger.made
        .filter(({ rentalId }) => rentalId === entry.id)
        .filter((volume) => ranBefore.has(keyOf(volume)) && !billing.has(keyOf(volume)))
        .map((volume) => `${keyOf(volume)} of ${entry.name} was to be kept, and was deleted`);
    });
  },
};

function isRightlyExpired({ serviceNow }: Session, { outputs }: Kept): boolean {
  return isExpired(outputs) && isPastExpiry(outputs, serviceNow());
}

function inputsOf(program: Program, name: string): Values {
  const inputs = program[name]?.inputs;
  return typeof inputs === "object" ? inputs : {};
}

/** Whether it was named, or the rental that it came with. */
export function isNamed({ ledger: { made } }: Session, named: ReadonlySet<string>, one: MadeObject): boolean {
  const rental = made.find(({ id, type }) => type === "BareMetalRental" && id === one.rentalId);
  return named.has(keyOf(one)) || (rental !== undefined && named.has(keyOf(rental)));
}

/**
 * What a proxy has made by sending a create twice is named where a list shows it and its label proves it. Where nobody waits
 * until it is ready, nobody looks; `destroy` ends it all the same.
 */
function isUnseenTwin(session: Session, one: Made): boolean {
  if (!session.ledger.isRepeated(one)) return false;
  const { ledger } = session;
  // A volume is known by the rental that it was created with.
  const rental = ledger.made.find(({ id, type }) => type === "BareMetalRental" && id === one.rentalId);
  const isHidden = one.command.hits.some(({ purpose }) => purpose === "list");
  return !isProvable(rental ?? one) || isHidden || ledger.isUnlisted(one) || ledger.neverWaits(one);
}

const rentals = new Set(["BareMetalRental", "VmRental"]);
const owned = new Set(["BareMetalRental", "VmRental", "StorageVolume", "MarketplaceInstance"]);

/** Beyond its deadline a call may make one last request, which ends by the limits of the client. */
const lastRequestSeconds = 300;

/** Whether a text names it: a volume's id is a small number, which alone says nothing. */
function names(text: string, { type, id }: { type: string; id: string }): boolean {
  if (type !== "StorageVolume") return new RegExp(`\\b${id}\\b`).test(text);
  return new RegExp(`volumes? (\\d+( \\([^)]*\\))?, )*${id}\\b`).test(text);
}

/** Whether nothing of the program waits until it runs: of a fleet its gate does. */
function isNotAwaited({ inputs }: Program[string]): boolean {
  return typeof inputs === "object" && inputs["waitForReady"] === false && inputs["__fleet"] === undefined;
}
