import { collections } from "../../../provider/service";
import { type Handler, json, type SeenRequest } from "../localService";

export const { bareMetal, virtualMachine, storageVolume } = collections;
export const rental = { rentalId: 12, rentalType: "bare-metal" } as const;

/** A service with these routes, and with a description if one is given. Everything else is 404, as a router says it. */
export function routes(known: Record<string, Handler>, description?: object): Handler {
  return (request, response, index) => {
    const line = `${request.method} ${request.path}`;
    if (line === "GET /v2/openapi.json" && description) return json(response, 200, description);
    const handler = known[line];
    return handler ? handler(request, response, index) : json(response, 404, { message: `Cannot ${line}` });
  };
}
export const done: Handler = (_, response) => json(response, 200, { message: "ended" });
export const bodyOf = (request: SeenRequest | undefined) => JSON.parse(request?.body || "null");
