import type { State } from "../../../cli/stack";
import { dynamicPrefix } from "../../../provider/shared/typeToken";

/** A state with these resources, as the provider would have written it. */
export function stateOf(...held: { name: string; type: string; id: number; outputs?: object }[]): State {
  const resources = held.map(({ name, type, id, outputs }) => ({
    urn: `urn:pulumi:dev::fleet::${dynamicPrefix}${type}::${name}`,
    type: `${dynamicPrefix}${type}`,
    id: String(id),
    outputs: { ...outputs },
  }));
  return { version: 3, deployment: { resources } };
}
