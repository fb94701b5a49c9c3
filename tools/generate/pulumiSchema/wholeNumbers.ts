/** Numbers that are always whole. TypeScript and the service have no word for it; other languages do. */
const whole =
  /^(id|port|limit|count|minCount|batch|sizeInGb|attachedRentals|termPeriodDays|minAvailableGpus|cpuCores|gpus(Total|Reserved|Available))$|(Count|[rR]entalIds?|VolumeId)$/;

export function isWhole(name: string): boolean {
  return whole.test(name);
}
