import type { Server } from "node:http";
import { closeServer, listen, type Parts } from "./server.js";
import type { ServiceName } from "./service-name.js";

interface OwnServer {
  url: string;
  /** Undefined while the service is down. */
  server: Server | undefined;
}

/** An address for each service, so that one can refuse connections alone. */
export class OwnServers {
  readonly #parts: Parts;
  readonly #servers = new Map<ServiceName, OwnServer>();
  /** One change after another. */
  #changing: Promise<void> = Promise.resolve();

  private constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** @param port of the first service; 0 for any */
  static async open(parts: Parts, names: readonly ServiceName[], port: number): Promise<OwnServers> {
    const own = new OwnServers(parts);
    try {
      for (const [index, name] of names.entries())
        own.#servers.set(name, await listen(parts, port === 0 ? 0 : port + index));
    } catch (error) {
      await own.close();
      throw error;
    }
    parts.state.onDown((name) => {
      own.#changing = own.#changing.then(() => own.#follow(name));
    });
    return own;
  }

  urlOf(name: ServiceName): string | undefined {
    return this.#servers.get(name)?.url;
  }

  async close(): Promise<void> {
    await this.#changing;
    await Promise.all([...this.#servers.values()].map(({ server }) => server && closeServer(server)));
  }

  async #follow(name: ServiceName): Promise<void> {
    const own = this.#servers.get(name);
    if (!own) return;
    const { server, url } = own;
    if (!this.#parts.state.isDown(name)) {
      own.server ??= (await listen(this.#parts, Number(new URL(url).port))).server;
      return;
    }
    own.server = undefined;
    if (server) await closeServer(server);
  }
}
