import { z } from "zod";
import { operations, type RequestOf, type ResponseOf, readableAttachment } from "../../service";
import { cleanText } from "../../shared/cleanText";
import type { CallOptions, Http } from "../http";
import { callTo } from "../http";

/** What the service said to a request that it has accepted. */
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
  /** Any 2xx is acceptance, too: with what can be read of it, and the body as it came. */
  attachStorageVolume(
    request: RequestOf<"attachStorageVolume">,
    options?: CallOptions,
  ): Promise<ResponseOf<"attachStorageVolume"> & EndResult>;
}

/** The documented operations that any 2xx accepts. */
export function endMethods(http: Http): EndMethods {
  const send = async (name: keyof EndMethods, request: unknown, options: CallOptions | undefined): Promise<unknown> => {
    const call = callTo(http, name, { ...operations[name], read: z.unknown() }, request);
    return (await http.send({ ...call, takesAnyBody: true }, options)).value;
  };
  return {
    terminateMarketplaceInstance: async (request, options) =>
      endResultOf(await send("terminateMarketplaceInstance", request, options), http.secrets),
    attachStorageVolume: async (request, options) => {
      const body = await send("attachStorageVolume", request, options);
      return { ...readableAttachment.safeParse(body).data, ...endResultOf(body, http.secrets) };
    },
  };
}
