import { createHash } from "node:crypto";
import { mayBeRewritten, plainLabel } from "../../shared/label";
import { askedFor } from "./state";
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
}

/** Where a machine is and whose, as a state keeps it. */
export interface Whereabouts {
  address: string;
  /** One-way value of what the records say of the account. */
  account?: string | undefined;
  /** One-way value of the key with which it was last seen. */
  key?: string | undefined;
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
  view: Pick<View, "account">,
): Whereabouts {
  const address = addresses[base];
  const account = view.account === undefined ? undefined : oneWay(address, view.account);
  return { address, ...(account && { account }), ...(key && { key }) };
}

/** What a state says; undefined where an older version wrote it. */
export function readWhereabouts(state: Values): Whereabouts | undefined {
  const where = state[whereKey];
  if (typeof where !== "object" || where === null || !("address" in where) || typeof where.address !== "string") {
    return undefined;
  }
  const text = (key: "account" | "key") => {
    const value: unknown = Reflect.get(where, key);
    return typeof value === "string" ? value : undefined;
  };
  return { address: where.address, account: text("account"), key: text("key") };
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
  return `it is at ${where.address}, but ${who} says ${addresses[base]}, so nothing was read, changed or ended. Set ${baseUrl} back to ${where.address}; or, if the service itself has moved, set GPUFLEET_MOVED_FROM or ${moved} to ${where.address}.`;
}

/** Whether a state says that it is at this address and was last seen with this key. */
export function isSeenWith(state: Values, { addresses, key }: Service): boolean {
  const where = readWhereabouts(state);
  return where !== undefined && Object.values(addresses).includes(where.address) && where.key === key;
}

/** Whether a state was last seen with another key: the same account's, if it was rotated, or that of another account. */
export function isOtherKey(state: Values, { key }: Service): boolean {
  const known = readWhereabouts(state)?.key;
  return known !== undefined && known !== key;
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
export function mayBe(state: Values, record: Pick<View, "label" | "account">, service: Service): boolean {
  const where = readWhereabouts(state);
  if (isAtOtherAddress(state, service) || (where && compareAccount(where, record) === false)) return false;
  const { label } = record;
  const labels = [state["label"], askedFor("label", state)].filter((one) => typeof one === "string");
  const isIts = (one: string) => isSameLabel(one, label ?? one) || mayBeRewritten(one, label ?? one);
  return labels.length === 0 || labels.some(isIts);
}

/** Why the record with this resource's id is somebody else's; undefined when nothing says so. */
export function whyForeign(state: Values, service: Service, noun: string, view: View): string | undefined {
  const where = readWhereabouts(state);
  const isAccount = where && compareAccount(where, view);
  if (isAccount === false) {
    return `the API key belongs to another account: ${noun} ${view.id} is there, too, but it is somebody else's. Use the key of the account that rented it`;
  }
  const label = state["label"];
  if (typeof label === "string" && view.label !== undefined && !isSameLabel(label, view.label)) {
    return `${noun} ${view.id} is labelled ${JSON.stringify(view.label)} there, and this resource's is ${JSON.stringify(label)}: it is somebody else's. Check that address and API key are those with which it was created`;
  }
  // Nothing of a machine ever changes: what differs under a key that may be anybody's is another one.
  const isUnlabelled = typeof label === "string" && view.label === undefined;
  const differences = isUnlabelled ? ["label", ...differing(state, view)] : differing(state, view);
  const [different] = isOtherKey(state, service) && isAccount === undefined ? differences : [];
  if (different !== undefined) {
    return `${noun} ${view.id} is there, too, but ${different} differs, and the API key is not the one with which it was last seen: it is somebody else's. Use the key of the account that rented it`;
  }
  return undefined;
}

/** Whether the record is of the account that the state was made with; undefined where one of them does not say. */
function compareAccount({ account, address }: Whereabouts, view: Pick<View, "account">): boolean | undefined {
  if (account === undefined || view.account === undefined) return undefined;
  // By the address that the state has: the service may have moved since.
  return account === oneWay(address, view.account);
}

/** Some services write labels in their own way; two labels of people do not differ by that alone. */
function isSameLabel(one: string, other: string): boolean {
  return one === other || (plainLabel(one) === plainLabel(other) && plainLabel(one) !== "");
}

function differing(state: Values, { observedInputs }: View): string[] {
  return Object.entries(observedInputs)
    .filter(([name, value]) => value !== undefined && state[name] !== undefined && value !== state[name])
    .map(([name]) => name);
}

/** Whether a list with these accounts was taken from the account that a state was made with. */
export function isSameAccount(state: Values, service: Service, views: readonly View[]): boolean {
  const where = readWhereabouts(state);
  if (!where || !isOtherKey(state, service)) return true;
  return views.some((view) => compareAccount(where, view) === true);
}
