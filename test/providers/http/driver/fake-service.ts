import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { onTestFinished } from "vitest";

export interface ReceivedCall {
  path: string;
  body: Record<string, unknown>;
  headers: IncomingMessage["headers"];
  /** Which of the connections it came on. */
  connection: number;
}

export type Behaviour = (response: ServerResponse, request: IncomingMessage, path: string) => void;

/** A service that takes tasks, on 127.0.0.1, and breaks as a test says; closed with the test. */
export interface FakeService {
  root: URL;
  posts: ReceivedCall[];
  gets: ReceivedCall[];
  puts: ReceivedCall[];
  /** Tasks that were accepted, by the attempt's id: each costs money. */
  accepted: Map<string, string>;
  onPost: Behaviour;
  onGet: Behaviour;
  /** What `GET /tasks/…` says. */
  status: Record<string, unknown>;
  accept(path: string): string;
  connections: number;
  /** True where it received the call of that number and does not answer it by itself. */
  isHolding(call: string): boolean;
  /** Called with each connection before anything is read from it. */
  onConnection: (socket: Socket) => void;
  close(): Promise<void>;
}

/** Numbers the calls of a test, so that its service knows them. */
export const CALL_NUMBER = "x-call-number";

export function answer(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

export async function startFakeService(port = 0): Promise<FakeService> {
  const sockets = new Map<Socket, number>();
  const responses = new Map<unknown, ServerResponse>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("error", () => {});
    response.on("error", () => {});
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      const { url: path = "", method, headers, socket } = request;
      const body = (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>;
      const call = { path, body, headers, connection: sockets.get(socket) ?? 0 };
      if (method === "POST") {
        service.posts.push(call);
        service.onPost(response, request, String(body.id));
      } else if (method === "PUT") {
        service.puts.push(call);
        answer(response, 202, {});
      } else {
        service.gets.push(call);
        service.onGet(response, request, path);
      }
      responses.set(headers[CALL_NUMBER], response);
    });
  });
  server.keepAliveTimeout = 60_000;
  server.on("connection", (socket: Socket) => {
    service.connections += 1;
    sockets.set(socket, service.connections);
    socket.on("error", () => {});
    service.onConnection(socket);
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const service: FakeService = {
    root: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    posts: [],
    gets: [],
    puts: [],
    accepted: new Map(),
    connections: 0,
    status: { status: "running" },
    onPost: (response, _request, id) => answer(response, 200, { task: service.accept(id) }),
    onGet: (response) => answer(response, 200, service.status),
    onConnection: () => {},
    isHolding(call) {
      const response = responses.get(call);
      return response !== undefined && !response.writableEnded && !response.destroyed;
    },
    accept(id) {
      const task = `task-${service.accepted.size + 1}`;
      service.accepted.set(id, task);
      return task;
    },
    async close() {
      for (const socket of sockets.keys()) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  onTestFinished(() => service.close());
  return service;
}

export const DONE = { status: "done", files: ["https://files.fake.example/1.png"] };
