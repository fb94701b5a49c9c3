import { isOtherTime, oneWay, type View } from "../../lifecycle";
import { mayBeRewritten, plainLabel, readLabel } from "../../shared/label";

/** What tells a volume or a rental apart from another one to which the service has given its id since. */
export interface Identity {
  createdAt?: string;
  /** An automatic one as it is. One that a person chose may be a secret: of that, its length and a one-way value. */
  label?: string;
}

export function identityOf({ createdAt, label }: View): Identity {
  return {
    ...(createdAt !== undefined && { createdAt }),
    ...(label !== undefined && plainLabel(label) !== "" && { label: readLabel(label) ? label : hiddenLabel(label) }),
  };
}

export function readIdentity(value: unknown): Identity {
  if (typeof value !== "object" || value === null) return {};
  const createdAt: unknown = Reflect.get(value, "createdAt");
  const label: unknown = Reflect.get(value, "label");
  return { ...(typeof createdAt === "string" && { createdAt }), ...(typeof label === "string" && { label }) };
}

/** How a record shows that it is another one; undefined where it does not. */
export function whyAnother(known: Identity, shown: View): string | undefined {
  // No two machines ever have the same automatic label.
  if (known.label !== undefined && known.label === shown.label) return undefined;
  if (isOtherTime({ created: known.createdAt }, shown)) {
    return `created at ${shown.createdAt}, not at ${known.createdAt}`;
  }
  const isOther = known.label !== undefined && shown.label !== undefined && isOtherLabel(known.label, shown.label);
  return isOther ? "with another label" : undefined;
}

/** Services rewrite labels and cut them: one that is the beginning of the other is no other. */
function isOtherLabel(known: string, shown: string): boolean {
  const plain = plainLabel(shown);
  if (plain === "") return false;
  if (readLabel(known)) return !mayBeRewritten(known, shown) && !isBeginning(plain, plainLabel(known));
  const length = Number.parseInt(known, 10);
  // Of what is shorter nobody can tell whether it was cut.
  return plain.length >= length && hiddenLabel(plain.slice(0, length)) !== known;
}

function isBeginning(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one);
}

function hiddenLabel(label: string): string {
  const plain = plainLabel(label);
  return `${plain.length}:${oneWay("label", plain)}`;
}
