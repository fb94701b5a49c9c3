import { type UndocumentedName, undocumentedOperations } from "../../service";
import { BadRequestError } from "../errors";
import type { ResolvedOperation } from "./discovery";

/** Words about what a request lacks or has too much, and none at all. */
const aboutForm = [
  /\b(required|missing|expected|unexpected|unrecogni[sz]ed|undefined|null|nan|not allowed|validation|schema|malformed|unprocessable)\b/i,
  /\b(must|should) (have|contain|include|match|be (an? |of |one of |provided|present|specified|set|positive|greater)|not (be empty|exist))/i,
  /\b(invalid|bad) (\w+ )?(ids?|input|request|body|payload|json|data|parameters?|arguments?|fields?)\b|id is invalid\b/i,
  /\bunknown (fields?|property|properties|keys?|parameters?|arguments?)\b|no reason given/i,
];

/** Whether a refusal may be about the form of the request, and not about what it asks for. */
export function isAboutForm(error: unknown): error is BadRequestError {
  if (!(error instanceof BadRequestError && (error.status === 400 || error.status === 422))) return false;
  const reason = error.reason.replaceAll("_", " ");
  return aboutForm.some((words) => words.test(reason));
}

/** What nobody describes, with the id in a field called `id`. */
export function withPlainId(resolved: ResolvedOperation): ResolvedOperation | undefined {
  const isUsual = resolved.kind === "conventional" && resolved.idField !== undefined && resolved.idField !== "id";
  return isUsual ? { ...resolved, idField: "id" } : undefined;
}

/** The same as `DELETE <collection>/{id}`. */
export function byDelete(name: UndocumentedName, { kind }: ResolvedOperation): ResolvedOperation | undefined {
  const { collection, variants } = undocumentedOperations[name];
  if (kind !== "conventional" || !variants.byDelete) return undefined;
  return { kind, method: "DELETE", path: `${collection}/{id}`, idField: undefined };
}

/** The same refusal, with what to do if the request was sent in the wrong form. */
export function withFormAdvice(
  error: BadRequestError,
  name: UndocumentedName,
  { path }: ResolvedOperation,
): BadRequestError {
  const { status, reason, code, cause } = error;
  const example = { [name]: { method: "POST", path, idField: "id", fields: { reason: "unused" } } };
  const advice =
    "If the service wants this request in another form, configure that in gpufleet:operations, for example " +
    `${JSON.stringify(example)}; {id} in the path stands for the id, and fields are constants that are sent along. ` +
    "Destroy uses new configuration only with --run-program.";
  return new BadRequestError(error, { status, reason, code, cause, advice });
}
