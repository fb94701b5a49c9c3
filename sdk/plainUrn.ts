import * as pulumi from "@pulumi/pulumi";

/**
 * The URN without its dependencies. It contains the parent's URN, and whoever depends on a component waits for all its
 * children: a child would wait for itself.
 */
export function plainUrn(name: string, type: string, parent: pulumi.Resource | undefined): Promise<string> {
  return new Promise((resolve) => {
    pulumi.createUrn(name, type, parent).apply(resolve);
  });
}
