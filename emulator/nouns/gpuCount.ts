import { Refusal } from "../refusal";

export function refuseBrokenGpuCount(field: string, gpuCount: number): void {
  if (!Number.isInteger(gpuCount) || gpuCount < 1) {
    throw new Refusal(400, `${field}: must be a whole number, 1 or more (got ${gpuCount})`);
  }
}
