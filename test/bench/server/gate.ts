import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Passes HTTP on to a server of this machine. A POST waits until `onPost` is over. */
export class Gate {
  onPost: () => Promise<void> = async () => {};
  readonly #server: Server;

  private constructor(port: number) {
    this.#server = createServer((incoming, response) => void this.#pass(port, incoming, response));
  }

  static async before(port: number): Promise<Gate> {
    const gate = new Gate(port);
    gate.#server.listen(0, "127.0.0.1");
    await once(gate.#server, "listening");
    return gate;
  }

  get root(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #pass(port: number, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url: path, headers } = incoming;
    if (method === "POST") await this.onPost();
    const passed = request({ port, host: "127.0.0.1", method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(response);
    });
    passed.on("error", () => response.destroy());
    incoming.pipe(passed);
  }
}
