import { stripVTControlCharacters } from "node:util";
import { cleanText } from "../../provider/shared/cleanText";
import { raiseTheLimit } from "../../provider/shared/money";
import { nameOf } from "../../provider/shared/urn";
import { compare } from "../money";
import type { Policies } from "./policies";
import type { Preview } from "./readPreview";

/** An error of the preview. */
export interface Problem {
  /** The name of the resource that it is about. */
  resource: string | undefined;
  message: string;
  /** Whether the provider has refused it because it costs too much, so that the preview ended there. */
  isTooDear: boolean;
}

const longestMessage = 600;

/** The errors of a preview, without what only the machine that ran it needs to know: stacks, paths and addresses. */
export function problemsOf(preview: Preview, policies: Policies | undefined, secrets: readonly string[]): Problem[] {
  const stoppedByPolicy = policies?.violations.some(({ level }) => level === "mandatory") ?? false;
  return (preview.diagnostics ?? [])
    .filter(({ severity }) => severity === "error")
    .filter(({ message }) => !(stoppedByPolicy && message.trim() === policyFailure))
    .map(({ urn, message }) => ({
      resource: urn ? nameOf(urn) : undefined,
      message: cleanText(withoutPlaces(message.replace(/^error: /, "").replace(failedCheck, "")), {
        secrets,
        max: longestMessage,
        hasOwnWords: true,
      }),
      // The end of a long message is cut off.
      isTooDear: message.includes(raiseTheLimit),
    }))
    .sort((one, other) => compare(one.resource ?? "", other.resource ?? "") || compare(one.message, other.message));
}

/** All that the preview says when a policy stops it: it is complete then, and the verdicts say the rest. */
const policyFailure = "error: preview failed";

/** How the engine begins the failures of a check: with the type, and for older versions of this package with the value, too. */
const failedCheck = /^\S+ resource '.*?'(?:: property \S+ value \{.*\})? has a problem: /s;

const stackLine = /^\s*at .*$/gm;
const url = /\bhttps?:\/\/[^\s"'<>]+/g;
const ipAddress = /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b|\[?\b(?:[0-9a-f]{1,4}:){3,}[0-9a-f:]*\]?/gi;
const absolutePath = /(^|[\s'"(`])(?:\/[\w.@+-]+){2,}\/?|(^|[\s'"(`])[A-Z]:\\[^\s'"]+/g;

function withoutPlaces(text: string): string {
  return stripVTControlCharacters(text)
    .replace(stackLine, "")
    .replace(url, "(address)")
    .replace(ipAddress, "(address)")
    .replace(absolutePath, "$1$2(path)");
}
