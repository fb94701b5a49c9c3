/** `{stack: "dev", project: "fleet", type: "a:b:Parent$c:d:Child"}` */
export function readUrn(urn: string): { stack: string; project: string; qualifiedType: string; type: string } {
  const [stack = "", project = "", qualifiedType = ""] = urn.replace(/^urn:pulumi:/, "").split("::");
  return { stack, project, qualifiedType, type: qualifiedType.slice(qualifiedType.lastIndexOf("$") + 1) };
}
