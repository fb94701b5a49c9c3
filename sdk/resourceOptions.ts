import * as pulumi from "@pulumi/pulumi";

type Options = pulumi.CustomResourceOptions;
type Args = Readonly<Record<string, unknown>>;

/**
 * Resource options that the engine cannot carry out for dynamic resources, as the inputs that do the same: `import` is
 * `adoptId`, and `customTimeouts` are `timeouts`. The engine never sees `import`, which it would fail on.
 */
export function optionsAsInputs(name: string, args: Args, options: Options | undefined): Args {
  return { ...args, ...importAsAdoption(name, args, options), ...customTimeoutsAsTimeouts(args, options) };
}

export function withoutImport(options: Options | undefined): Options | undefined {
  if (options?.import === undefined) return options;
  const { import: _, ...rest } = options;
  return rest;
}

function importAsAdoption(name: string, { adoptId }: Args, options: Options | undefined): Args {
  if (options?.import === undefined) return {};
  if (adoptId === undefined || String(adoptId) === options.import) return { adoptId: options.import };
  throw new pulumi.RunError(
    `${name} has both adoptId and the option import, and they differ: leave one of them out. They mean the same.`,
  );
}

/** What the argument `timeouts` says takes precedence. The time for an update is that for a create. */
function customTimeoutsAsTimeouts({ timeouts }: Args, options: Options | undefined): Args {
  const { create, delete: end } = options?.customTimeouts ?? {};
  const custom = { ...(create && { create }), ...(end && { delete: end }) };
  if (Object.keys(custom).length === 0) return {};
  return {
    timeouts:
      timeouts === undefined ? custom : pulumi.output(timeouts).apply((given) => ({ ...custom, ...fieldsOf(given) })),
  };
}

function fieldsOf(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}
