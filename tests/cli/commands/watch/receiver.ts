/** A real HTTP listener that reports are posted to. */
import { createServer, type Server } from "node:http";

export interface Arrived {
  method: string | undefined;
  url: string | undefined;
  type: string | undefined;
  body: unknown;
}

export class Receiver {
  readonly arrived: Arrived[] = [];
  /** Statuses of the next answers; 200 when they are used up. `"silence"` never answers. */
  answers: (number | "silence")[] = [];
  answerText = "ok";
  url = "";
  readonly #server: Server;

  constructor() {
    this.#server = createServer(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part);
      const { method, url, headers } = request;
      const body: unknown = JSON.parse(Buffer.concat(parts).toString());
      this.arrived.push({ method, url, type: headers["content-type"], body });
      const answer = this.answers.shift() ?? 200;
      if (answer === "silence") return;
      response.writeHead(answer, answer === 302 ? { location: "http://127.0.0.1:1/elsewhere" } : {});
      response.end(this.answerText);
    });
  }

  /** The secret part of the URL is its path. */
  async listen(path = "/services/T000/s3cr3t-t0ken"): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    const address = this.#server.address();
    this.url = `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}${path}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
