/** `[3, 160, 0]` of a text that has a version in it; undefined where it has none. */
export function readVersion(text: string): number[] | undefined {
  return /(\d+)\.(\d+)\.(\d+)/.exec(text)?.slice(1).map(Number);
}

export function isAtLeast(version: readonly number[], least: readonly number[]): boolean {
  const differing = least.findIndex((number, index) => version[index] !== number);
  return differing < 0 || (version[differing] ?? 0) > (least[differing] ?? 0);
}
