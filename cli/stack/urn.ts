import { nameOf } from "../../provider/shared/urn";

export interface UrnParts {
  stack: string;
  project: string;
  /** `a:b:Parent$c:d:Child` */
  qualifiedType: string;
  /** `c:d:Child` */
  type: string;
  name: string;
}

/** Takes a URN apart: `urn:pulumi:dev::fleet::a:b:Parent$c:d:Child::train`. */
export function readUrn(urn: string): UrnParts {
  const [stack = "", project = "", qualifiedType = ""] = urn.replace(/^urn:pulumi:/, "").split("::");
  const type = qualifiedType.slice(qualifiedType.lastIndexOf("$") + 1);
  return { stack, project, qualifiedType, type, name: nameOf(urn) };
}
