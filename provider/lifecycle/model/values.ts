/** Inputs or outputs of a resource, as the host hands them over. */
export type Values = Record<string, unknown>;

/** Inputs that the SDK and the host add; they are no property of the resource. */
export const providerKey = "__provider";
export const originKey = "__origin";

/** Set by the SDK where the program only reads the resource (`get`, or the option `id`). */
export const readKey = "__read";

/** Set by the SDK in a preview, and taken out by check: nothing else tells a provider that nothing is to be done. */
export const previewKey = "__preview";

/** Pulumi's own convention for what is not shown to people. */
function isHidden(key: string): boolean {
  return key.startsWith("__");
}

/** The inputs that a person wrote: without the hidden ones, and without what was left empty. */
export function visible(values: Values): Values {
  const shown: Values = {};
  // A loop, because every read and diff of a large stack comes by here several times.
  for (const [key, value] of Object.entries(values)) {
    if (!isHidden(key) && value !== undefined && value !== null) shown[key] = value;
  }
  return shown;
}

export function hidden(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([key]) => isHidden(key)));
}

/** Where the machine is and whose. */
export const whereKey = "__where";
/** Machines with this resource's mark that it once replaced and that were kept (`retainOnDelete`): no leftovers. */
export const predecessorsKey = "__predecessors";
/** The volume that was made along with a rental. */
export const volumeKey = "__volume";
/** What the same request has made besides it, because a proxy has sent it twice. */
export const twinsKey = "__twins";
/** The volume and the rentals of an attachment, as they were last seen. */
export const partsKey = "__parts";

/**
 * Set while what it costs was not held against its limits: because the look at that failed (true), so that the next update is to do it, or
 * because the service has shown no price of it yet (`untilPriced`).
 */
export const uncheckedKey = "__unchecked";
export const untilPriced = "until priced";

/** Set where `costPerHour` is that of the user's own book. */
export const estimatedKey = "__estimated";

/** What lists have shown of the machine otherwise than it was asked for, from the first one on. */
export const asRentedKey = "__asRented";

/**
 * When it was created by the service's clock (its `Date` header), where its records are minutes away from that: they may be in local time
 * without a zone. Durations count from it.
 */
export const sinceKey = "__since";

/** The inputs of an imported machine that its record did not show. */
export const unseenKey = "__unseen";

/**
 * Among the inputs of an entry: the option `import` has brought it into the state, and the program has not agreed with it since. The engine then
 * writes the program's inputs. What the command `pulumi import` has brought in is the state's by a person's word.
 */
export const importedKey = "__imported";

/** What a state keeps hidden from one operation to the next. */
export function kept(values: Values): Values {
  return Object.fromEntries(
    [
      whereKey,
      predecessorsKey,
      volumeKey,
      twinsKey,
      partsKey,
      uncheckedKey,
      estimatedKey,
      sinceKey,
      unseenKey,
      asRentedKey,
    ]
      .filter((key) => values[key] !== undefined)
      .map((key) => [key, values[key]]),
  );
}
