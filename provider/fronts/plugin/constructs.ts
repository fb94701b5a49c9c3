import type { handleUnaryCall, sendUnaryData } from "@grpc/grpc-js";
import type { ConstructRequest, ConstructResponse } from "@pulumi/pulumi/proto/provider_pb";

type Construct = handleUnaryCall<ConstructRequest, ConstructResponse>;

/**
 * Components under construction. When a run fails elsewhere, the SDK leaves them open for ever, and the engine cuts their
 * connection at last. It would show that as a fault of the component ("grpc: the client connection is closing"), so they are
 * answered before, in words.
 */
export class Constructs {
  readonly #open = new Set<sendUnaryData<ConstructResponse>>();

  /** The same call, kept in mind until it is answered. */
  noting(construct: Construct): Construct {
    return (call, answer) => {
      const once: sendUnaryData<ConstructResponse> = (...answered) => {
        if (this.#open.delete(once)) answer(...answered);
      };
      this.#open.add(once);
      construct(call, once);
    };
  }

  /** Answers those that are still open: the run ends without them. */
  dismiss(error: Parameters<sendUnaryData<ConstructResponse>>[0]): void {
    for (const answer of [...this.#open]) answer(error);
  }
}
