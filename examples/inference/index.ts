/**
 * Inference
 *
 * A machine, and a call to a model once it is ready.
 *
 * It is a smoke test after the deployment: the answer and its cost become stack outputs. If the model does not answer, `pulumi up`
 * fails.
 *
 * ```sh
 * pulumi stack init dev
 * pulumi config set model <a model of your account>   # the emulator accepts any
 * pulumi up
 * pulumi stack output smokeTest
 * pulumi destroy
 * ```
 */

import * as pulumi from "@pulumi/pulumi";
import { chat, costOf, VmRental } from "pulumi-gpufleet";

const model = new pulumi.Config().get("model") ?? "example-chat-model";
const worker = new VmRental("worker", { gpuCount: 1 });

/** Calls the model once the machine is ready. Every call is billed, so there is none in a preview. */
export const smokeTest = worker.status.apply(async (status) => {
  if (pulumi.runtime.isDryRun()) return "not called in a preview";
  const answer = await chat({ model, maxTokens: 20, messages: [{ role: "user", content: "Are you there?" }] });
  if (answer.text === "") throw new pulumi.RunError(`${model} gave an empty answer`);
  const { costUsd } = await costOf(answer);
  return { worker: status, answer: answer.text, costUsd };
});
