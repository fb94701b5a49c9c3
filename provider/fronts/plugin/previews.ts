import { type Handler, lasting, type Values } from "../../lifecycle";
import { derivedOutputs } from "../../resources";
import { unknownValue } from "../../shared/unknown";

/** The properties that one has when it is made, as far as a preview knows them. */
export function previewedCreate(properties: Values, outputs: readonly string[]): Values {
  const unknown = outputs.filter((key) => !(key in properties));
  return { ...properties, ...unknownValues(unknown), ...placedLater(properties) };
}

interface PreviewedUpdate {
  id: string;
  urn: string;
  olds: Values;
  news: Values;
  /** The names of its outputs. */
  outputs: readonly string[];
}

/** The same when it is updated. */
export function previewedUpdate(handler: Handler, { id, urn, olds, news, outputs: names }: PreviewedUpdate): Values {
  const outputs = { ...lasting(handler.inputs.shape, olds), ...news };
  // What only the record tells may have changed by what is asked of the service.
  const isOnlyOurs = handler.definition !== undefined && handler.definition.update === undefined;
  const changing = isOnlyOurs ? ["status", "expiresAtTime"] : names;
  const unknown = changing.filter((key) => !(key in news) && key in olds);
  return { ...outputs, ...unknownValues(unknown), ...derivedOutputs(handler.type, { id, urn, outputs }) };
}

function unknownValues(keys: readonly string[]): Values {
  return Object.fromEntries(keys.map((key) => [key, unknownValue]));
}

/** What is asked for and may turn out otherwise. */
function placedLater({ fallbackRegions }: Values): Values {
  return Array.isArray(fallbackRegions) && fallbackRegions.length > 0 ? unknownValues(["region"]) : {};
}
