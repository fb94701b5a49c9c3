import { connect } from "node:net";

/** Whether something at this address greets like an ssh server (RFC 4253, 4.2) within the time. */
export function greetsSsh(host: string, port: number, milliseconds: number): Promise<boolean> {
  return new Promise((resolve) => {
    let greeting = "";
    const socket = connect({ host, port });
    const settle = (greeted: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(greeted);
    };
    const timer = setTimeout(() => settle(false), milliseconds);
    socket.on("data", (data) => {
      greeting += data.toString("latin1");
      if (/(^|\n)SSH-/.test(greeting)) settle(true);
      else if (greeting.length > 8192) settle(false);
    });
    socket.once("error", () => settle(false));
    socket.once("end", () => settle(false));
  });
}
