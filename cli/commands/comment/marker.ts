/** By this a later comment finds the earlier one of the same project and stack. GitHub does not show it. */
export function markerOf({ project, stack }: { project: string; stack: string }): string {
  // Two hyphens could end the HTML comment.
  const write = (text: string) => encodeURIComponent(text).replaceAll("--", "-%2D");
  return `<!-- gpufleet-comment ${write(project)}/${write(stack)} -->`;
}
