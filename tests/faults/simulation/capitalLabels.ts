import type { Transport } from "../../../provider/client";
import { bodyOf, member, parse, textOf, withItems } from "./answers";
import { isListOfOwn, purposeOf } from "./requests";

/** A service that shows labels and GPU types in capitals: nothing that it makes has the label that was asked for. */
export function capitalLabels(transport: Transport): Transport {
  return async (request) => {
    const answer = await transport(request);
    const isRead = isListOfOwn(request) || purposeOf(request) === "create";
    if (answer.status >= 300 || !isRead) return answer;
    const text = await textOf(answer);
    const value = parse(text);
    if (value === undefined) return { ...answer, body: bodyOf(text) };
    const shown = withItems(inCapitals(value), (items) => items.map(inCapitals));
    return { ...answer, body: bodyOf(JSON.stringify(shown)) };
  };
}

function inCapitals(item: unknown): unknown {
  const texts = ["label", "gpuType"].flatMap((name): [string, string][] => {
    const text = member(item, name);
    return typeof text === "string" ? [[name, text.toUpperCase()]] : [];
  });
  return texts.length > 0 ? { ...Object(item), ...Object.fromEntries(texts) } : item;
}
