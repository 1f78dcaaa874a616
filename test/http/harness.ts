import { connect, type Socket } from "node:net";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, onTestFinished } from "vitest";
import { createHttpServer, type HttpServerOptions } from "../../src/http/server.js";
import type { Api } from "../../src/jobs/api.js";
import type { FindSignedFile } from "../../src/media/links.js";
import { type Clock, systemClock } from "../../src/platform/clock.js";
import { systemIds } from "../../src/platform/ids.js";
import type { Callbacks } from "../../src/providers/callbacks.js";
import type { HealthCheck, UpstreamStatus } from "../../src/service/service.js";
import type { TillHooks } from "../../src/tills/till.js";
import { recordingLogger } from "../support/log.js";
import { toldClock } from "../support/stub-clocks.js";

/** The answer of a store that has these bytes. */
export function open(
  bytes: string,
  change: { stream?: Readable; mime?: string; size?: number; fileName?: string } = {},
) {
  const content = Buffer.from(bytes);
  const file = {
    stream: Readable.from([content]),
    mime: "image/webp",
    size: content.length,
    fileName: "fox.webp",
    ...change,
  };
  return { outcome: "found" as const, file: { ...file, open: async () => file.stream } };
}

/** A connection to a server, whose side stays open after the end of the other one where that is asked for. */
export function dial(url: string, allowHalfOpen = false): Socket {
  const { hostname, port } = new URL(url);
  return connect({ port: Number(port), host: hostname, allowHalfOpen });
}

/** What a server answers to raw bytes, up to the end of the connection. */
export async function rawAnswer(url: string, ...pieces: (string | Buffer)[]): Promise<string> {
  const socket = dial(url);
  for (const piece of pieces) socket.write(piece);
  return text(socket);
}

/** The body of a refusal with this code. */
export function refusal(error: string, detail: Readonly<Record<string, unknown>> = {}) {
  return { ok: false, error, message: expect.any(String), ...detail };
}

/** A clock on which every deadline passes at once. */
export const impatientClock: Clock = {
  ...toldClock(() => 0),
  after: (_delayMs, fire) => {
    const timer = setImmediate(fire);
    return () => clearImmediate(timer);
  },
};

/** An API that knows no key. */
export const CLOSED_API: Api = {
  models: [],
  authenticate: () => undefined,
  balance: () => ({ currency: "RUB", amount: 0 }),
  submit: () => Promise.reject(new Error("nobody has a key")),
  submitKeyed: () => Promise.reject(new Error("nobody has a key")),
  job: () => {
    throw new Error("nobody has a key");
  },
};

/** Of a server on a free port of this machine. */
export const SERVER = {
  httpHost: "127.0.0.1",
  httpPort: 0,
  isProxyTrusted: false,
  connectionsMax: 2000,
  publicUrl: "http://127.0.0.1:8080",
  ids: systemIds,
};

interface Parts extends Partial<Omit<HttpServerOptions, "routes" | "healthChecks" | "upstreams">> {
  files?: FindSignedFile;
  callbacks?: Callbacks;
  tillHooks?: TillHooks;
  /** Undefined for a service whose API runs elsewhere. */
  api?: Api | undefined;
  /** What each check says. */
  health?: Readonly<Record<string, HealthCheck["isGood"]>>;
  upstreams?: readonly Pick<UpstreamStatus, "name" | "state">[];
}

/** A server on a free port, closed with the test. */
export async function startServer({
  files,
  callbacks,
  tillHooks,
  health = {},
  upstreams = [],
  ...given
}: Parts = {}) {
  const { api, ...rest } = { api: CLOSED_API, ...given };
  const { logger, lines } = recordingLogger("debug");
  const server = createHttpServer({
    ...SERVER,
    routes: {
      files: files ?? (async () => ({ outcome: "forged" })),
      api,
      ...(callbacks && { callbacks }),
      ...(tillHooks && { tillHooks }),
    },
    healthChecks: Object.entries(health).map(([name, isGood]) => ({ name, isGood })),
    upstreams: () => upstreams,
    rateLimitPerMinute: 0,
    metrics: { collectors: [], token: undefined },
    clock: systemClock,
    logger,
    ...rest,
  });
  const url = await server.listen();
  onTestFinished(() => server.close());
  return { server, url, lines };
}
