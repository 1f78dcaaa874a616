import { once } from "node:events";
import { createServer } from "node:net";
import { hasCode } from "../../src/platform/errors.js";

/** Below the ports that systems give to outgoing connections: one of those may be taken before it is listened on. */
const FIRST = 20_000;
const COUNT = 10_000;

/** A port of this machine that nobody listens on, and that the system gives to nobody. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    const server = createServer().listen(port, "127.0.0.1");
    try {
      await once(server, "listening");
    } catch (error) {
      if (hasCode(error, "EADDRINUSE")) continue;
      throw error;
    }
    server.close();
    await once(server, "close");
    return port;
  }
}
