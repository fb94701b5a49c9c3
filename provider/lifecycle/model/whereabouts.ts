import { createHash } from "node:crypto";
import { getOrMake } from "../../shared/getOrMake";
import { isAutomaticLabel, isCutLabel, mayBeRewritten, plainLabel } from "../../shared/label";
import { readTimestamp } from "../../shared/timestamp";
import { askedFor, isAsRented } from "./state";
import { type Values, whereKey } from "./values";
import type { View } from "./view";

/** The service at its address, seen with one key. */
export interface Service {
  /** The name of the explicit provider that says so; missing where the environment or the stack's configuration does. */
  provider?: string | undefined;
  /** Base URL of each interface. */
  addresses: { v2: string; v1: string };
  /** One-way value of the key; undefined without a key. */
  key: string | undefined;
  /** Addresses from which machines were moved here on purpose (`gpufleet:movedFrom`). */
  movedFrom: readonly string[];
  /** A person's word that this key is of the account with whose key everything was last seen (`GPUFLEET_SAME_ACCOUNT=1`, for one run). */
  isSameAccount?: boolean | undefined;
}

/** Where a machine is and whose, as a state keeps it. */
export interface Whereabouts {
  address: string;
  /** One-way value of what the records say of the account: the organization, or the user where there is none. */
  account?: string | undefined;
  /** The same of the user, where there is an organization. States of older versions do not have it. */
  user?: string | undefined;
  /** One-way value of the key with which it was last seen. */
  key?: string | undefined;
  /** When it was created, by its record: what has its id and was created at another time is another one. */
  created?: string | undefined;
  /** Whether its record had its id where records of its kind have theirs: from then on no other name stands for it. */
  hasOwnId?: boolean | undefined;
}

/** A short one-way value. Salted with what it is of, so that one of them cannot be looked up among the others. */
export function oneWay(salt: string, secret: string): string {
  return createHash("sha256")
    .update(`pulumi-gpufleet:${salt}:${secret.length}:${secret}`)
    .digest("base64url")
    .slice(0, 12);
}

export function whereaboutsOf(
  { addresses, key }: Service,
  base: "v2" | "v1",
  view: Pick<View, "account" | "createdAtListed" | "hasOwnId">,
): Whereabouts {
  const address = addresses[base];
  const [account, user] = accountIn(address, view);
  const { createdAtListed: created } = view;
  return {
    address,
    ...(account && { account }),
    ...(user && { user }),
    ...(key && { key }),
    ...(created && { created }),
    ...(view.hasOwnId && { hasOwnId: true }),
  };
}

/** What a state says; undefined where an older version wrote it. */
export function readWhereabouts(state: Values): Whereabouts | undefined {
  const where = state[whereKey];
  if (typeof where !== "object" || where === null || !("address" in where) || typeof where.address !== "string") {
    return undefined;
  }
  const text = (key: "account" | "user" | "key" | "created") => {
    const value: unknown = Reflect.get(where, key);
    return typeof value === "string" ? value : undefined;
  };
  return {
    address: where.address,
    account: text("account"),
    user: text("user"),
    key: text("key"),
    created: text("created"),
    hasOwnId: Reflect.get(where, "hasOwnId") === true,
  };
}

/** Why a state must not be read, changed or ended through this address; undefined when it may. */
export function whyElsewhere(state: Values, service: Service, base: "v2" | "v1"): string | undefined {
  const { addresses, movedFrom, provider } = service;
  const where = readWhereabouts(state);
  if (!where || where.address === addresses[base] || movedFrom.includes(where.address)) return undefined;
  const isV1Alone = base === "v1" && addresses.v1 !== addresses.v2;
  const [variable, setting] = isV1Alone ? ["GPUFLEET_V1_BASE_URL", "v1BaseUrl"] : ["GPUFLEET_BASE_URL", "baseUrl"];
  const [who, baseUrl, moved] =
    provider === undefined
      ? ["the configuration", `${variable} or gpufleet:${setting}`, "gpufleet:movedFrom"]
      : [`Provider "${provider}"`, `its ${setting}`, "its movedFrom"];
  return `it is at ${where.address}, but ${who} says ${addresses[base]}, so nothing was read, changed or terminated. Set ${baseUrl} back to ${where.address}; or, if the service itself has moved, set GPUFLEET_MOVED_FROM or ${moved} to ${where.address}.`;
}

/** Whether a state says that it is at this address and was last seen with this key. */
export function isSeenWith(state: Values, { addresses, key }: Service): boolean {
  const where = readWhereabouts(state);
  return where !== undefined && Object.values(addresses).includes(where.address) && where.key === key;
}

/**
 * Whether a state was last seen with another key: the same account's, if it was rotated, or that of another account. Not where a
 * person has said that it is the same account's.
 */
export function isOtherKey(state: Values, { key, isSameAccount = false }: Service): boolean {
  const known = readWhereabouts(state)?.key;
  return known !== undefined && known !== key && !isSameAccount;
}

/** Whether a state says that it is at an address that is none of these. */
export function isAtOtherAddress(state: Values, { addresses, movedFrom }: Service): boolean {
  const where = readWhereabouts(state);
  return where !== undefined && ![...Object.values(addresses), ...movedFrom].includes(where.address);
}

/**
 * Whether a state with the id of a record can be of that very machine. Ids are those of a service, and some services count
 * them anew in each account: another address, another account or another label is another machine. Where none of them is
 * known of both, the id alone decides.
 */
export function mayBe(state: Values, record: Pick<View, "label" | "account" | "createdAt">, service: Service): boolean {
  const where = readWhereabouts(state);
  if (isAtOtherAddress(state, service)) return false;
  const { label } = record;
  const isOwn = isOwnLabel(state["label"], label);
  const isAccount = where && compareAccount(where, record, isOtherKey(state, service));
  if (where && !isOwn && (isAccount === false || isOtherTime(where, record))) return false;
  const labels = [state["label"], askedFor("label", state)].filter((one) => typeof one === "string");
  const isIts = (one: string) => isSameLabel(one, label ?? one) || mayBeRewritten(one, label ?? one);
  return labels.length === 0 || labels.some(isIts);
}

/** Why the record with this resource's id is somebody else's; undefined when nothing says so. */
export function whyForeign(state: Values, service: Service, noun: string, view: View): string | undefined {
  const where = readWhereabouts(state);
  const isOther = isOtherKey(state, service);
  const isAccount = where && compareAccount(where, view, isOther);
  const label = state["label"];
  // With the same key, the very label that was chosen for this machine says more than what the service calls the account.
  const isOwn = isOwnLabel(label, view.label);
  if (isAccount === false && (isOther || !isOwn) && where?.key !== service.key) {
    return `the API key belongs to another account: ${noun} ${view.id} is there, too, but it is somebody else's. Use the key of the account that rented it`;
  }
  if (isAccount === false && !isOwn) {
    return `${noun} ${view.id} is that of another user or organization there: it is somebody else's. ${ifReused}`;
  }
  const isOurAccount = isAccount || !isOther;
  if (typeof label === "string" && view.label !== undefined && !isSameLabel(label, view.label)) {
    // In our own account, and under our id, the service has cut or rewritten it.
    const isRewritten = mayBeRewritten(label, view.label) || isCutLabel(label, view.label);
    if (!isOurAccount || !isRewritten) return otherLabel(noun, view.id, view.label, label, isOther);
  }
  if (where && isOurAccount && !isOwn && isOtherTime(where, view)) {
    return `${noun} ${view.id} was created at ${view.createdAt} there, and this resource's at ${where.created}: it is somebody else's. If it is yours all the same, take the resource out of the state with \`pulumi state delete\`, and adopt it with adoptId: ${JSON.stringify(view.id)}. ${ifReused}`;
  }
  if (isOurAccount) return undefined;
  // Nothing of a machine ever changes: what differs under a key that may be anybody's is another one.
  const isUnlabelled = typeof label === "string" && view.label === undefined;
  const [different] = isUnlabelled ? ["label"] : differing(state, view);
  if (different !== undefined) {
    return `${noun} ${view.id} is there, too, but ${different} differs, and the API key is not the one with which it was last seen: it is somebody else's. Use the key of the account that rented it`;
  }
  // And where nothing differs, something must show that it is ours: ids are counted anew in each account.
  if (isAutomaticLabel(label) || isSameTime(state["createdAt"], view.createdAt)) return undefined;
  return `the API key is not the one with which ${noun} ${view.id} was last seen, and nothing in its record shows that it is the same one: it may be somebody else's. Use the former key; or, if both are keys of one account, run this once with GPUFLEET_SAME_ACCOUNT=1`;
}

/** Then nothing of ours is there any more, and only a person knows. */
const ifReused =
  "If yours has ended and the service has given its id to another one, remove the resource with `pulumi state delete`; the next `pulumi up` creates a new one";

function otherLabel(noun: string, id: string, shown: string, label: string, isOtherKey: boolean): string {
  const advice = isOtherKey
    ? "Check that address and API key are those with which it was created"
    : `If it is yours all the same, because the service or somebody has changed its label, take the resource out of the state with \`pulumi state delete\`, and adopt it with that label and adoptId: ${JSON.stringify(id)}. ${ifReused}`;
  return `${noun} ${id} is labelled ${JSON.stringify(shown)} there, and this resource's is ${JSON.stringify(label)}: it is somebody else's. ${advice}`;
}

/** The automatic label of one machine, letter for letter: no other machine has it, in any account. */
function isOwnLabel(label: unknown, shown: string | undefined): boolean {
  return isAutomaticLabel(label) && label === shown;
}

/** To the millisecond, in whatever form: two machines of one id are not created at the same moment. */
function isSameTime(one: unknown, other: unknown): boolean {
  const time = readTimestamp(one);
  return time !== undefined && time === readTimestamp(other);
}

/** Services round times, and not everywhere in the same way. */
const roundingMs = 1000;

/** Whether both say when it was created, and not the same. */
export function isOtherTime(
  { created }: Pick<Whereabouts, "created">,
  { createdAt }: Pick<View, "createdAt">,
): boolean {
  const [one, other] = [readTimestamp(created), readTimestamp(createdAt)];
  return one !== undefined && other !== undefined && Math.abs(one - other) > roundingMs;
}

/** One-way values of what a record says of its account, by the address that a state has: the service may have moved since. */
function accountIn(address: string, { account = [] }: Pick<View, "account">): string[] {
  return account.map((one) => getOrMake(accounts, JSON.stringify([address, one]), () => oneWay(address, one)));
}

/** A list of a thousand is of one account. */
const accounts = new Map<string, string>();

/**
 * Whether the record is of the account that the state was made with; undefined where one of them does not say. The
 * organization or the user in common is enough. With another key, which may be that of another organization of the user, the
 * user is enough only where one of them names no organization.
 */
function compareAccount(
  { account, user, address }: Whereabouts,
  view: Pick<View, "account">,
  isOther: boolean,
): boolean | undefined {
  const shown = accountIn(address, view);
  if (account === undefined || shown.length === 0) return undefined;
  const users = isOther ? shown.slice(0, 1) : shown;
  return shown.includes(account) || users.some((one) => one === user);
}

/** Some services write labels in their own way; two labels of people do not differ by that alone. */
function isSameLabel(one: string, other: string): boolean {
  return one === other || (plainLabel(one) === plainLabel(other) && plainLabel(one) !== "");
}

function differing(state: Values, { observedInputs }: View): string[] {
  return Object.entries(observedInputs)
    .filter(([name, value]) => value !== undefined && state[name] !== undefined && value !== state[name])
    .filter(([name, value]) => !isAsRented(name, value, state))
    .map(([name]) => name);
}

/**
 * Whether a list with these accounts was taken from the account that a state was made with. A record that names the user
 * alone may be of any organization of that user, so it says nothing beside one that names another.
 */
export function isSameAccount(state: Values, service: Service, views: readonly View[]): boolean {
  const where = readWhereabouts(state);
  if (!where || !isOtherKey(state, service)) return true;
  const { account, user, address } = where;
  const shows = (test: (owners: string[]) => boolean) => views.some((view) => test(accountIn(address, view)));
  if (shows((owners) => owners.some((one) => one === account))) return true;
  return user !== undefined && shows(([owner]) => owner === user) && !shows(([, member]) => member === user);
}
