import type { ServerUnaryCall } from "@grpc/grpc-js";
import type { ConstructRequest, ConstructResponse } from "@pulumi/pulumi/proto/provider_pb";
import { Constructs } from "../../../provider/fronts/plugin/constructs";

type Answer = (...answered: unknown[]) => void;

/** Begins a construct; what comes back answers it, as the SDK does. */
function begin(constructs: Constructs) {
  const answered: unknown[][] = [];
  let answer: Answer = () => undefined;
  const call = {} as ServerUnaryCall<ConstructRequest, ConstructResponse>;
  constructs.noting((_, reply) => {
    answer = (...given) => reply(...(given as Parameters<typeof reply>));
  })(call, (...given) => answered.push(given));
  return { answered, answer };
}

describe("Components under construction", () => {
  const stopped = { details: "stopped" };

  test("are answered when the run ends without them, and only once", () => {
    const constructs = new Constructs();
    const { answered, answer } = begin(constructs);
    expect(answered).toEqual([]);
    constructs.dismiss(stopped);
    constructs.dismiss(stopped);
    answer(null, "too late");
    expect(answered).toEqual([[stopped]]);
  });

  test("that are done keep their answer", () => {
    const constructs = new Constructs();
    const { answered, answer } = begin(constructs);
    answer(null, "done");
    constructs.dismiss(stopped);
    expect(answered).toEqual([[null, "done"]]);
  });
});
