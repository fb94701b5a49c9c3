import { z } from "zod";
import { operations, type RequestOf } from "../../service";
import { cleanText } from "../../shared/cleanText";
import type { CallOptions, Http } from "../http/http";
import { callTo } from "../http/tableCall";

/** What the service said to a request to end something that it has accepted. */
export interface EndResult {
  /** In its own words, where it has any. */
  message: string | undefined;
  /** The body as it came, undefined where it is empty: `refusalIn` tells whether it takes the acceptance back. */
  body: unknown;
}

/** What ending something answers is not shown: any 2xx is acceptance, whatever is in it. */
export function endResultOf(body: unknown, secrets: readonly string[]): EndResult {
  const said = z.looseObject({ message: z.string() }).safeParse(body);
  return { message: said.success ? cleanText(said.data.message, { secrets }) : undefined, body };
}

export interface EndMethods {
  terminateMarketplaceInstance(
    request: RequestOf<"terminateMarketplaceInstance">,
    options?: CallOptions,
  ): Promise<EndResult>;
}

/** The documented operation that ends something. */
export function endMethods(http: Http): EndMethods {
  return {
    terminateMarketplaceInstance: async (request, options) => {
      const operation = { ...operations.terminateMarketplaceInstance, read: z.unknown() };
      const call = callTo(http, "terminateMarketplaceInstance", operation, request);
      const { value } = await http.send({ ...call, takesAnyBody: true }, options);
      return endResultOf(value, http.secrets);
    },
  };
}
