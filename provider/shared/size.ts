/** `1,024 GB` */
export function showGb(size: number): string {
  return `${size.toLocaleString("en-US")} GB`;
}
