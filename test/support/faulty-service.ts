import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { listen } from "./listen.js";

export const RETENTION = "idempotency-key-retention";
export const JSON_TYPE = { "content-type": "application/json" };

export interface ReceivedPost {
  body: Record<string, unknown>;
  headers: IncomingMessage["headers"];
}

/** How a request whose body has been read is answered. */
export type Behaviour = (response: ServerResponse, request: IncomingMessage, body: string) => void;

export type FaultyService = Awaited<ReturnType<typeof startFaultyService>>;

/** A Generation API on 127.0.0.1 that breaks in the way a test says; closed with the test. */
export async function startFaultyService(behave?: Behaviour) {
  const jobsByKey = new Map<string, number>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("error", () => {});
    response.on("error", () => {});
    if (service.retentionSec !== undefined) response.setHeader(RETENTION, `${service.retentionSec}`);
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      if (request.method === "POST") {
        service.posts.push({ body: JSON.parse(body) as Record<string, unknown>, headers: request.headers });
      } else service.gets.push({ path: request.url ?? "", headers: request.headers });
      service.behave(response, request, body);
    });
  });
  server.on("connection", (socket: Socket) => {
    service.connections += 1;
    service.onConnection(socket);
  });
  const port = await listen(server);
  const answer = (response: ServerResponse, status: number, body: object) =>
    json(status, body)(response, response.req, "");
  const serve: Behaviour = (response, request, body) => {
    const path = (request.url ?? "").replace("/api/v1", "");
    if (request.method === "POST") {
      const id = service.accept(request, body);
      return answer(response, 200, { ok: true, job_id: id, job_ids: [id], status: "queued", cost_rub: 10 });
    }
    if (path === "/health") return answer(response, 200, { ok: true, version: "v1" });
    if (path === "/balance")
      return answer(response, 200, { ok: true, balance: { currency: "RUB", amount: 12.5 } });
    answer(response, 404, { ok: false, error: "job_not_found" });
  };
  const service = {
    /** With the version prefix. */
    url: `http://127.0.0.1:${port}/api/v1`,
    port,
    /** Connections that were made. */
    connections: 0,
    /** POSTs that arrived whole. */
    posts: [] as ReceivedPost[],
    /** Paths of the GETs, with their headers. */
    gets: [] as { path: string; headers: IncomingMessage["headers"] }[],
    /** Request bodies by job; what is in it was accepted and charged. */
    jobs: new Map<number, string>(),
    /** Announced in each answer and honoured by `accept`, in seconds. */
    retentionSec: undefined as number | undefined,
    behave: behave ?? serve,
    /** Called with each connection before anything is read from it. */
    onConnection: (_socket: Socket) => {},
    /** Accepts a POST, once for an idempotency key where those are honoured. */
    accept(request: IncomingMessage, body: string): number {
      const key = request.headers["idempotency-key"];
      const known = typeof key === "string" ? jobsByKey.get(key) : undefined;
      if (known !== undefined && service.retentionSec !== undefined) return known;
      const id = 1000 + service.jobs.size;
      service.jobs.set(id, body);
      if (typeof key === "string") jobsByKey.set(key, id);
      return id;
    },
    answer,
    /** Answers like a service in order. */
    serve,
  };
  return service;
}

export function json(status: number, body: object, headers: Record<string, string> = {}): Behaviour {
  return (response) =>
    void response.writeHead(status, { ...JSON_TYPE, ...headers }).end(JSON.stringify(body));
}

/** Answers as a proxy in front of the service does. */
export function page(status: number): Behaviour {
  return (response) => {
    response.removeHeader(RETENTION);
    response.writeHead(status, { "content-type": "text/html" }).end("<html>Bad gateway</html>");
  };
}

/** Sends the head and the beginning of a body, then resets. */
export function cut(text: string): Behaviour {
  return (response, request) => {
    response.writeHead(200, { ...JSON_TYPE, "content-length": 1000 });
    response.write(text, () => reset(request));
  };
}

/** Ends a connection with a reset instead of a regular end. */
export function reset({ socket }: IncomingMessage): void {
  socket.resetAndDestroy();
}
