import * as pulumi from "@pulumi/pulumi";
import type { CallOptions } from "../connection";
import { callService } from "../service";
import { type InputsOf, type OutputCallOptions, whenKnown } from "./invoke";

export interface RequestReservationArgs {
  /** Number of GPUs to reserve. */
  gpuCount: number;
}

export interface RequestReservationResult {
  /** Whether the request was sent. In a preview it is not. */
  sent: boolean;
  /** Answer of the service. */
  message: string;
}

/**
 * Requests a reservation of a large number of GPUs. Unlike the other functions it has an effect: the request is sent each time the
 * program runs, except in a preview.
 */
export async function requestReservation(
  { gpuCount }: RequestReservationArgs,
  options: CallOptions = {},
): Promise<RequestReservationResult> {
  const notSent = { sent: false, message: "not sent: this is a preview" };
  if (pulumi.runtime.isDryRun()) return notSent;
  return callService("requestReservation", { gpuCount }, options, async ({ client, isPreview }) => {
    if (isPreview) return notSent;
    const { message } = await client.requestReservation({ gpuCount }, { signal: options.signal });
    return { sent: true, message };
  });
}

export function requestReservationOutput(
  args: InputsOf<RequestReservationArgs>,
  options: OutputCallOptions = {},
): pulumi.Output<RequestReservationResult> {
  return whenKnown(args, options).apply((known) => requestReservation(known, options));
}
