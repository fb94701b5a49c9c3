import { createHash } from "node:crypto";
import { type Values, whereKey } from "./values";
import type { View } from "./view";

/** The service at its address, seen with one key. */
export interface Service {
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
export function whyElsewhere(state: Values, { addresses, movedFrom }: Service, base: "v2" | "v1"): string | undefined {
  const where = readWhereabouts(state);
  if (!where || where.address === addresses[base] || movedFrom.includes(where.address)) return undefined;
  return `it is at ${where.address}, but the configuration says ${addresses[base]}, so nothing was read, changed or ended. Set GPUFLEET_BASE_URL or gpufleet:baseUrl back to ${where.address}; or, if the service itself has moved, set GPUFLEET_MOVED_FROM or gpufleet:movedFrom to ${where.address}.`;
}

/** Why the record with this resource's id is somebody else's; undefined when nothing says so. */
export function whyForeign(state: Values, service: Service, base: "v2" | "v1", view: View): string | undefined {
  const where = readWhereabouts(state);
  const now = whereaboutsOf(service, base, view);
  if (where?.account !== undefined && now.account !== undefined && where.account !== now.account) {
    return `the API key belongs to another account: ${view.id} is there, too, but it is somebody else's. Use the key of the account that rented it`;
  }
  const label = state["label"];
  if (typeof label === "string" && view.label !== undefined && view.label !== label) {
    return `${view.id} is labelled ${JSON.stringify(view.label)} there, and this resource's is ${JSON.stringify(label)}: it is somebody else's. Check that address and API key are those with which it was created`;
  }
  return undefined;
}

/** Whether a list with these accounts was taken from the account that a state was made with. */
export function isSameAccount(
  state: Values,
  { addresses, key }: Service,
  base: "v2" | "v1",
  views: readonly View[],
): boolean {
  const where = readWhereabouts(state);
  if (!where || where.key === undefined || where.key === key) return true;
  return views.some(({ account }) => account !== undefined && oneWay(addresses[base], account) === where.account);
}
