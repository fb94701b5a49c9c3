import { connect } from "node:net";

/** Whether something at this address greets like an ssh server (RFC 4253, 4.2) within the time. */
export function greetsSsh(host: string, port: number, milliseconds: number): Promise<boolean> {
  return new Promise((resolve) => {
    let greeting = "";
    const socket = connect({ host, port });
    const finish = (greeted: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(greeted);
    };
    const timer = setTimeout(() => finish(false), milliseconds);
    socket.on("data", (data) => {
      greeting += data.toString("latin1");
      if (/(^|\n)SSH-/.test(greeting)) finish(true);
      else if (greeting.length > 8192) finish(false);
    });
    socket.once("error", () => finish(false));
    socket.once("end", () => finish(false));
  });
}
