/** A stack, as its URNs and the engine name it. */
export interface StackName {
  organization: string;
  project: string;
  stack: string;
}

/** Backends other than Pulumi Cloud have one organization, of this name. */
export const onlyOrganization = "organization";

/** As `pulumi` takes it after `--stack`. */
export function fullName({ organization, project, stack }: StackName): string {
  return [organization, project, stack].filter(Boolean).join("/");
}

/** What stands in a name that `pulumi` takes: `stack`, `organization/stack` or `organization/project/stack`. */
export function readStackName(name: string): Pick<StackName, "stack"> & Partial<StackName> {
  const [stack = "", ...owner] = name.split("/").reverse();
  const [project, organization] = owner.length > 1 ? owner : [undefined, owner[0]];
  return { stack, ...(project && { project }), ...(organization && { organization }) };
}

/** The parts of a name that tell stacks of one backend apart: the organization only where there are several. */
export function tellingParts({ organization, project, stack }: StackName): string[] {
  return [...(organization === "" || organization === onlyOrganization ? [] : [organization]), project, stack];
}

/** As people are shown it: `project/stack`, with the organization before it where there are several. */
export function shortName(name: StackName): string {
  return tellingParts(name).join("/");
}
