import * as pulumi from "@pulumi/pulumi";
import { chat, costOf, VmRental } from "pulumi-gpufleet";

const model = new pulumi.Config().get("model") ?? "example-chat-model";
const worker = new VmRental("worker", { gpuCount: 1 });

/** Asks once the machine is up. Every answer is paid for, so nothing is asked in a preview. */
export const smokeTest = worker.status.apply(async (status) => {
  if (pulumi.runtime.isDryRun()) return "not asked in a preview";
  const answer = await chat({ model, maxTokens: 20, messages: [{ role: "user", content: "Are you there?" }] });
  if (answer.text === "") throw new pulumi.RunError(`${model} had nothing to say`);
  const { costUsd } = await costOf(answer);
  return { worker: status, answer: answer.text, costUsd };
});
