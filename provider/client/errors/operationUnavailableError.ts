import { type FailedCall, type FailureDetail, ServiceError } from "./serviceError";

/** The service does not offer an operation that it does not document either. Nothing was done. */
export class OperationUnavailableError extends ServiceError {
  constructor(call: FailedCall, detail: Omit<FailureDetail, "advice">, key: string) {
    const example = JSON.stringify({ [key]: { method: "POST", path: "/v2/path/of/the/operation", idField: "id" } });
    super(call, {
      ...detail,
      advice:
        `Tell how the service does this with the configuration gpufleet:operations, for example ${example} ` +
        '("{id}" in the path puts the id there). Destroy sees new configuration only with --run-program.',
    });
  }
}
