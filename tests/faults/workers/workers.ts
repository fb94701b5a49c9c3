import { type ChildProcess, fork } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Tally } from "../schedules/tally";
import type { Job } from "./job";
import { nodeFlags } from "./nodeFlags";

interface Waiting {
  job: Job;
  resolve(tally: Tally): void;
  reject(error: Error): void;
}

type Reply = { tally: Tally } | { error: string };

/** Processes that play jobs, one per core. They start with the first job and end with `stop`. */
export class Workers {
  readonly #idle: ChildProcess[] = [];
  readonly #all = new Set<ChildProcess>();
  readonly #queue: Waiting[] = [];

  play(job: Job): Promise<Tally> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ job, resolve, reject });
      this.#next();
    });
  }

  stop(): void {
    for (const worker of this.#all) if (worker.connected) worker.disconnect();
    this.#all.clear();
    this.#idle.length = 0;
    this.#queue.length = 0;
  }

  #next(): void {
    if (this.#queue.length === 0) return;
    const worker = this.#idle.pop() ?? this.#start();
    const waiting = worker && this.#queue.shift();
    if (!worker || !waiting) return;
    const { job, resolve, reject } = waiting;
    const exited = (code: number | null) => {
      // Another takes its place.
      this.#all.delete(worker);
      reject(new Error(`a worker ended with ${code}: ${JSON.stringify(job)}`));
      this.#next();
    };
    worker.once("exit", exited);
    worker.once("message", (reply: Reply) => {
      worker.off("exit", exited);
      this.#idle.push(worker);
      if ("tally" in reply) resolve(reply.tally);
      else reject(new Error(reply.error));
      this.#next();
    });
    worker.send(job);
  }

  #start(): ChildProcess | undefined {
    if (this.#all.size >= availableParallelism()) return undefined;
    // Not with the flags of this process, which may be those of jest.
    const worker = fork(join(__dirname, "worker.ts"), { execArgv: nodeFlags });
    this.#all.add(worker);
    return worker;
  }
}
