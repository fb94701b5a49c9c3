import { z } from "zod";
import { answer, refusalIn } from "./answer";

export const requestCostBatch = 100;

export const requestCostRequest = z.strictObject({
  requestIds: z
    .array(z.string())
    .max(requestCostBatch)
    .describe("Request ids, from the header X-Inference-Request-Id of inference responses."),
});

export const requestCostResponse = answer({
  requests: z.array(answer({ requestId: z.string(), costNanoUsd: z.number() })).max(requestCostBatch),
});

/** The service's description of itself. */
export const openApiDocument = answer({}).refine(
  (document) => "paths" in document || refusalIn(document) === undefined,
  "must be a description, and is an error",
);
