/** What the service offers, as plain values: a program can hold its arguments against them without loading the schemas. */

export const gpuTypes = ["h100", "h200", "b200"] as const;

/** Bare metal comes in whole nodes. */
export const gpusPerNode = 8;

/** Sizes of storage volumes, in GB. */
export const volumeSizes = { least: 256, most: 64000, step: 256 } as const;
