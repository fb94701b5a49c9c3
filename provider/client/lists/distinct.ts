import type { Identity, List, Listing, Unreadable } from "../../service";

/**
 * Each record once. Pages overlap where something comes or goes while they are read, and some services list a record twice.
 * What has no id stays, and so does a second machine under one id, which another label or time of creation tells.
 */
export function distinct<Item>(list: Pick<List<Item>, "identityOf">, items: Listing<Item>): Listing<Item> {
  const kept: { item: Item; identity: Identity | undefined }[] = [];
  const places = new Map<string, number[]>();
  for (const item of items) {
    const identity = list.identityOf(item);
    const others = (identity && places.get(identity.key)) ?? [];
    const place = others.find((one) => isSameRecord(kept[one]?.identity, identity));
    if (place !== undefined) {
      if (isNewer(identity, kept[place]?.identity)) kept[place] = { item, identity };
      continue;
    }
    if (identity) places.set(identity.key, [...others, kept.length]);
    kept.push({ item, identity });
  }
  const once: Listing<Item> = kept.map(({ item }) => item);
  if (items.unreadable) once.unreadable = distinctUnreadable(items.unreadable);
  return once;
}

/** That it runs and that it has ended cannot both be true, and nothing may tell which is: then both are kept. */
function isSameRecord(one: Identity | undefined, other: Identity | undefined): boolean {
  if (!one || !other) return false;
  const isDated = one.updatedAt !== undefined && other.updatedAt !== undefined;
  return isDated || one.isEnded === other.isEnded;
}

/** Where the records do not tell, the one that was read later. */
function isNewer(one: Identity | undefined, other: Identity | undefined): boolean {
  if (one?.updatedAt === undefined || other?.updatedAt === undefined) return true;
  return one.updatedAt >= other.updatedAt;
}

function distinctUnreadable(items: readonly Unreadable[]): Unreadable[] {
  const seen = new Set<string>();
  return items.filter((item) => {
    const key = JSON.stringify(item);
    const isSeen = item.id !== undefined && seen.has(key);
    seen.add(key);
    return !isSeen;
  });
}
