import { type FailedCall, type FailureDetail, ServiceError } from "./serviceError";

/** 401: no key, or one that the service does not take. Nothing was done. */
export class UnauthorizedError extends ServiceError {
  constructor(call: FailedCall, detail: Omit<FailureDetail, "advice"> & { keySent: boolean }) {
    const found = detail.keySent ? "The API key was refused" : "No API key was sent";
    super(call, {
      ...detail,
      advice:
        `${found}: it is looked for in the environment variable GPUFLEET_API_KEY, then in the configuration gpufleet:apiKey. ` +
        "Refresh and destroy use the configuration of the last up, so after a change of key set the environment variable.",
    });
  }
}
