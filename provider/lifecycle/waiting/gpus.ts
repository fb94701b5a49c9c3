import { showDuration } from "../../shared/duration";
import { hostKeyAlias, isPlainAddress } from "../../shared/sshHosts";
import { clearStatus, showStatus } from "../context";
import type { Operation } from "../definition";
import { EngineGoneError, type GpuAnswer, type View, WaitFailedError, WaitTimeoutError } from "../model";
import { progress } from "./ready";

const longestQuestion = 30_000;
const pause = 5000;
/** Keys are put on a machine while it boots, and a GPU may need a moment. After this long it is as it is. */
const patience = 120_000;

/**
 * Waits until `nvidia-smi` lists as many GPUs as were rented, on all nodes together, and none reports an error.
 * @param type of the machine
 */
export async function waitUntilGpusAnswer(operation: Operation, type: string, view: View): Promise<void> {
  try {
    await poll(operation, type, view);
  } finally {
    clearStatus(operation);
  }
}

async function poll(operation: Operation, type: string, view: View): Promise<void> {
  const { clock, engine } = operation.runtime;
  const startedAt = clock.now();
  let firmSince: number | undefined;
  let heard: string | undefined;
  for (;;) {
    const verdict = judge(await askAll(operation, type, view), rentedOf(view));
    if (verdict.kind === "done") return;
    const now = clock.now();
    // The last question may be cut short by the end of the time: what it said before tells more.
    heard = verdict.kind === "silent" ? (heard ?? verdict.reason) : verdict.reason;
    const text = `${view.status}, but ${heard}`;
    if (verdict.kind === "never") throw new WaitFailedError(text);
    firmSince = verdict.kind === "firm" ? (firmSince ?? now) : undefined;
    if (firmSince !== undefined && now - firmSince >= patience) {
      throw new WaitFailedError(`${text}, for ${showDuration(now - firmSince)}`);
    }
    if (now + pause >= operation.deadline)
      throw new WaitTimeoutError(`${text}, after ${showDuration(now - startedAt)}`);
    showStatus(operation, progress(`${view.status}, waiting for its GPUs (${verdict.reason})`, now - startedAt, view));
    if ((await engine.ask()) === "gone") throw new EngineGoneError("gone");
    await clock.sleep(pause);
  }
}

function rentedOf({ observedInputs }: View): number | undefined {
  const { gpuCount } = observedInputs;
  return typeof gpuCount === "number" ? gpuCount : undefined;
}

async function askAll(operation: Operation, type: string, view: View): Promise<GpuAnswer[]> {
  const { clock, askGpus, settings } = operation.runtime;
  const left = Math.max(1, operation.deadline - clock.now());
  const questions = (view.ssh ?? []).filter(isPlainAddress).map((endpoint) => ({
    endpoint,
    alias: hostKeyAlias({ type, id: view.id }, endpoint),
    stack: operation.stack,
    keyFile: settings.sshKeyFile,
  }));
  return Promise.all(questions.map((question) => askGpus(question, Math.min(longestQuestion, left))));
}

type Verdict =
  | { kind: "done" }
  /** It may well come. */
  | { kind: "pending" | "silent"; reason: string }
  /** It will hardly change. */
  | { kind: "firm"; reason: string }
  | { kind: "never"; reason: string };

function judge(answers: readonly GpuAnswer[], rented: number | undefined): Verdict {
  const impossible = answers.find((answer) => answer.kind === "impossible");
  if (impossible) return { kind: "never", reason: `its GPUs cannot be checked: ${impossible.reason}` };
  const denied = answers.find((answer) => answer.kind === "denied");
  if (denied) return { kind: "firm", reason: denied.reason };
  const waiting = answers.find((answer) => answer.kind === "waiting");
  if (waiting) return { kind: "pending", reason: waiting.reason };
  const silent = answers.find((answer) => answer.kind === "silent");
  if (silent) return silent;
  const seen = answers.filter((answer) => answer.kind === "gpus");
  const [trouble, ...others] = seen.flatMap(({ troubles }) => troubles);
  if (trouble !== undefined) {
    return { kind: "firm", reason: others.length > 0 ? `${trouble}, and ${others.length} more` : trouble };
  }
  const count = seen.reduce((sum, answer) => sum + answer.count, 0);
  if (count >= (rented ?? 1)) return { kind: "done" };
  return { kind: "pending", reason: `nvidia-smi lists ${count} of ${rented ?? "its"} GPUs` };
}
