/** Inputs or outputs of a resource, as the host hands them over. */
export type Values = Record<string, unknown>;

/** Inputs that the SDK and the host add; they are no property of the resource. */
export const providerKey = "__provider";
export const originKey = "__origin";

/** Pulumi's own convention for what is not shown to people. */
function isHidden(key: string): boolean {
  return key.startsWith("__");
}

/** The inputs that a person wrote: without the hidden ones, and without what was left empty. */
export function visible(values: Values): Values {
  return Object.fromEntries(
    Object.entries(values).filter(([key, value]) => !isHidden(key) && value !== undefined && value !== null),
  );
}

export function hidden(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([key]) => isHidden(key)));
}
