import { operations } from "../../service";
import { type CallOptions, callTo, type Http } from "../http";

export interface TimeMethods {
  /** The time by the service's own clock, as its last answer told: what its timestamps are to be compared with. */
  serviceNow(): number;
  /**
   * The same for whoever judges by it: a service that has not answered yet is asked for something first, once for all who want to
   * know. Rejects where it cannot be reached, because then nobody knows its time.
   */
  serviceTime(options?: CallOptions): Promise<number>;
}

/** A service that does not answer for so long does not tell its time either. */
const patience = 30_000;

/** What the answer says does not matter, nor whether it is an error. */
class Answered extends Error {}

export function timeMethods(http: Http): TimeMethods {
  let asking: Promise<unknown> | undefined;
  const ask = async () => {
    const beforeAttempt = async () => {
      if (http.hasAnswered) throw new Answered();
    };
    try {
      await http.send(callTo(http, "getBalance", operations.getBalance, undefined), {
        deadline: http.now() + patience,
        beforeAttempt,
      });
    } catch (error) {
      if (!http.hasAnswered) throw error;
    } finally {
      asking = undefined;
    }
  };
  return {
    serviceNow: () => http.serviceNow(),
    serviceTime: async (options = {}) => {
      if (!http.hasAnswered) {
        asking ??= ask();
        await http.waitFor(callTo(http, "getBalance", operations.getBalance, undefined), asking, options);
      }
      return http.serviceNow();
    },
  };
}
