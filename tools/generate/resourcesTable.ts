/** The resources in docs/index.md: each with the first sentence of its page. */
import { table } from "./markdown";
import { dashed } from "./resourcePage";
import type { SdkDocs } from "./sdkDocs";

export function writeResourcesTable(types: readonly string[], sdk: SdkDocs): string {
  return table(
    ["resource", ""],
    types.map((type) => [`[${type}](${dashed(type)}.md)`, firstSentence(sdk.get(type).description)]),
  );
}

function firstSentence(text: string): string {
  return /^.*?\.(?=\s|$)/s.exec(text)?.[0] ?? text;
}
